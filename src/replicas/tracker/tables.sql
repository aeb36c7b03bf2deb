-- The tables of one tracker environment. Columns are named as the API names its fields; a relation `team` is the
-- column "teamId". Values that can be computed from rows are not stored: no counter, no URL, no progress.
-- A small table has no index, because each costs every environment: its rows are identified by `id`, or else by all
-- columns. Inserts check that an id is free under the lock of the workspace.

create sequence last_sync_id;

create table organizations (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  name text not null,
  "urlKey" text not null,
  "previousUrlKeys" text[] not null default '{}',
  "logoUrl" text,
  "gitBranchFormat" text,
  "roadmapEnabled" boolean not null default true,
  "feedEnabled" boolean not null default true,
  "customersEnabled" boolean not null default true,
  "releasesEnabled" boolean not null default true,
  "slaEnabled" boolean not null default false,
  "suggestedBranchNameEnabled" boolean not null default true,
  "generatedUpdatesEnabled" boolean not null default false,
  "aiAddonEnabled" boolean not null default false,
  "aiTelemetryEnabled" boolean not null default false,
  "aiThreadSummariesEnabled" boolean not null default false,
  "aiDiscussionSummariesEnabled" boolean not null default false,
  "agentAutomationEnabled" boolean not null default false,
  "linearAgentEnabled" boolean not null default false,
  "linearAgentSettings" jsonb not null default '{}',
  "codeIntelligenceEnabled" boolean not null default false,
  "codeIntelligenceRepository" text,
  "codingAgentEnabled" boolean not null default false,
  "codingAgentSettings" jsonb not null default '{}',
  "restrictAgentInvocationToMembers" boolean not null default false,
  "hipaaComplianceEnabled" boolean not null default false,
  "reducedPersonalInformation" boolean not null default false,
  "oauthAppReview" boolean not null default false,
  "gitLinkbackMessagesEnabled" boolean not null default true,
  "gitLinkbackDescriptionsEnabled" boolean not null default false,
  "gitPublicLinkbackMessagesEnabled" boolean not null default false,
  "pullRequestIssueMode" text not null default 'linked',
  "pullRequestTourEnabled" boolean not null default false,
  "slackAutoCreateProjectChannel" boolean not null default false,
  "slackProjectChannelsEnabled" boolean not null default false,
  "slackProjectChannelPrefix" text not null default 'proj-',
  "fiscalYearStartMonth" float8 not null default 0,
  "workingDays" float8[] not null default '{1,2,3,4,5}',
  "projectUpdateReminderFrequencyInWeeks" float8 default 1,
  "projectUpdateRemindersDay" text not null default 'Friday',
  "projectUpdateRemindersHour" float8 not null default 14,
  "initiativeUpdateReminderFrequencyInWeeks" float8 default 4,
  "initiativeUpdateRemindersDay" text not null default 'Friday',
  "initiativeUpdateRemindersHour" float8 not null default 14,
  "defaultFeedSummarySchedule" text,
  "defaultHomeView" text,
  "defaultHomeViewTargetId" text,
  "allowedFileUploadContentTypes" text[],
  "authSettings" jsonb not null default '{}',
  "securitySettings" jsonb not null default '{}',
  "teamSecuritySettings" jsonb not null default '{}',
  "customersConfiguration" jsonb not null default '{}',
  "themeSettings" jsonb,
  "ipRestrictions" jsonb
);

create table users (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  name text not null,
  "displayName" text not null,
  email text not null,
  title text,
  description text,
  "avatarUrl" text,
  timezone text,
  "statusEmoji" text,
  "statusLabel" text,
  "statusUntilAt" timestamptz(3),
  active boolean not null default true,
  admin boolean not null default false,
  owner boolean not null default false,
  guest boolean not null default false,
  app boolean not null default false,
  "disableReason" text,
  "lastSeen" timestamptz(3)
);

create table teams (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "retiredAt" timestamptz(3),
  name text not null,
  key text not null,
  "previousKeys" text[] not null default '{}', -- never reused by another team
  "highestNumber" int not null default 0, -- of issues that left the team
  description text,
  icon text,
  color text,
  timezone text not null default 'America/Los_Angeles',
  visibility text not null default 'public',
  "parentId" uuid,
  "defaultIssueStateId" uuid,
  "allMembersCanJoin" boolean not null default true,
  "joinByDefault" boolean not null default false,
  "securitySettings" jsonb not null default '{}',
  "issueEstimationType" text not null default 'notUsed',
  "issueEstimationAllowZero" boolean not null default false,
  "issueEstimationExtended" boolean not null default false,
  "defaultIssueEstimate" float8 not null default 1,
  "inheritIssueEstimation" boolean not null default false,
  "inheritWorkflowStatuses" boolean not null default false,
  "inheritProjectStatuses" boolean not null default false,
  "inheritProductIntelligenceScope" boolean not null default false,
  "inheritSlackAutoCreateProjectChannel" boolean not null default false,
  "productIntelligenceScope" text,
  "triageEnabled" boolean not null default false,
  "requirePriorityToLeaveTriage" boolean not null default false,
  "cyclesEnabled" boolean not null default false,
  "cycleStartDay" float8 not null default 1,
  "cycleDuration" float8 not null default 2,
  "cycleCooldownTime" float8 not null default 0,
  "cycleIssueAutoAssignStarted" boolean not null default false,
  "cycleIssueAutoAssignCompleted" boolean not null default false,
  "cycleLockToActive" boolean not null default false,
  "upcomingCycleCount" float8 not null default 2,
  "autoArchivePeriod" float8 not null default 6,
  "autoClosePeriod" float8,
  "autoCloseStateId" text,
  "autoCloseParentIssues" boolean not null default false,
  "autoCloseChildIssues" boolean not null default false,
  "setIssueSortOrderOnStateChange" text not null default 'default',
  "groupIssueHistory" boolean not null default true,
  "initiativesEnabled" boolean not null default true,
  "issueSharingEnabled" boolean not null default false,
  "defaultProjectTemplateId" uuid,
  "defaultTemplateForMembersId" uuid,
  "defaultTemplateForNonMembersId" uuid,
  "scimManaged" boolean not null default false,
  "scimGroupName" text,
  "slackNewIssue" boolean not null default true,
  "slackIssueComments" boolean not null default true,
  "slackIssueStatuses" boolean not null default true,
  "slackAutoCreateProjectChannel" boolean,
  "agentAutomationEnabled" boolean not null default false,
  "codingAgentEnabled" boolean not null default false,
  "aiThreadSummariesEnabled" boolean not null default false,
  "aiDiscussionSummariesEnabled" boolean not null default false
);

create table team_memberships (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "teamId" uuid not null,
  "userId" uuid not null,
  owner boolean not null default false,
  "sortOrder" float8 not null default 0,
  unique ("teamId", "userId")
);

create table workflow_states (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "teamId" uuid not null,
  name text not null,
  description text,
  type varchar(16) not null,
  color varchar(32) not null,
  position float8 not null
);

create table issues (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "teamId" uuid not null,
  number int not null,
  identifier text not null,
  "previousIdentifiers" text[] not null default '{}',
  title text not null,
  description text,
  "stateId" uuid not null,
  priority float8 not null default 0,
  "assigneeId" uuid,
  "delegateId" uuid,
  "creatorId" uuid,
  "parentId" uuid,
  "projectId" uuid,
  "projectMilestoneId" uuid,
  "cycleId" uuid,
  estimate float8,
  "dueDate" date,
  "sortOrder" float8 not null,
  "prioritySortOrder" float8 not null default 0,
  "subIssueSortOrder" float8,
  trashed boolean,
  "startedAt" timestamptz(3),
  "completedAt" timestamptz(3),
  "canceledAt" timestamptz(3),
  "startedTriageAt" timestamptz(3),
  "triagedAt" timestamptz(3),
  "addedToTeamAt" timestamptz(3),
  "addedToCycleAt" timestamptz(3),
  "addedToProjectAt" timestamptz(3),
  "autoClosedAt" timestamptz(3),
  "autoArchivedAt" timestamptz(3),
  "autoClosedByParentClosing" boolean,
  "snoozedUntilAt" timestamptz(3),
  "snoozedById" uuid,
  "slaType" text,
  "slaStartedAt" timestamptz(3),
  "slaMediumRiskAt" timestamptz(3),
  "slaHighRiskAt" timestamptz(3),
  "slaBreachesAt" timestamptz(3),
  "lastAppliedTemplateId" uuid,
  "sourceCommentId" uuid,
  "documentContentId" uuid not null,
  "sharedWithUserIds" uuid[] not null default '{}',
  "inheritsSharedAccess" boolean not null default false,
  trusted boolean,
  "botActor" jsonb,
  unique ("teamId", number)
);
-- Related lists, in their order: a page reads its own rows only, even if Postgres planned when the table was small.
create index issues_project on issues ("projectId", "createdAt" desc nulls last, id) where "projectId" is not null;
create index issues_parent on issues ("parentId", "createdAt" desc nulls last, id) where "parentId" is not null;
create index issues_cycle on issues ("cycleId", "createdAt" desc nulls last, id) where "cycleId" is not null;
create index issues_milestone on issues ("projectMilestoneId", "createdAt" desc nulls last, id) where "projectMilestoneId" is not null;
create index issues_assignee on issues ("assigneeId", "createdAt" desc nulls last, id) where "assigneeId" is not null;
create index issues_creator on issues ("creatorId", "createdAt" desc nulls last, id);
-- The position of a new issue: above the first of its team.
create index issues_position on issues ("teamId", "sortOrder");
-- Lists are in this order.
create index issues_created on issues ("createdAt" desc nulls last, id);
-- Of the few issues that had another identifier.
create index issues_former on issues using gin ("previousIdentifiers") where "previousIdentifiers" <> '{}';

create table issue_labels (
  -- A page of issues looks up the labels of each.
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "teamId" uuid,
  "parentId" uuid,
  name text not null,
  description text,
  color varchar(32) not null,
  "isGroup" boolean not null default false,
  "groupType" varchar(16),
  "creatorId" uuid,
  "retiredAt" timestamptz(3),
  "retiredById" uuid
);

create table issue_label_assignments (
  "issueId" uuid not null,
  "labelId" uuid not null,
  "createdAt" timestamptz(3) not null,
  primary key ("issueId", "labelId")
);

create table issue_subscribers (
  "issueId" uuid not null,
  "userId" uuid not null,
  primary key ("issueId", "userId")
);

create table issue_relations (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "issueId" uuid not null,
  "relatedIssueId" uuid not null,
  type varchar(16) not null,
  unique ("issueId", "relatedIssueId", type)
);

create table comments (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "editedAt" timestamptz(3),
  body text not null,
  "bodyData" text not null,
  "quotedText" text,
  "userId" uuid,
  "parentId" uuid,
  "issueId" uuid,
  "projectId" uuid,
  "projectUpdateId" uuid,
  "initiativeId" uuid,
  "initiativeUpdateId" uuid,
  "documentContentId" uuid,
  "resolvedAt" timestamptz(3),
  "resolvingUserId" uuid,
  "resolvingCommentId" uuid,
  "subscriberIds" uuid[] not null default '{}',
  "botActor" jsonb
);
create index comments_issue on comments ("issueId", "createdAt" desc nulls last, id);
create index comments_created on comments ("createdAt" desc nulls last, id);
create index comments_thread on comments ("parentId", "createdAt" desc nulls last, id) where "parentId" is not null;

create table reactions (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  emoji varchar(100) not null,
  "userId" uuid,
  "issueId" uuid,
  "commentId" uuid,
  "projectUpdateId" uuid,
  "initiativeUpdateId" uuid
);
create index reactions_issue on reactions ("issueId") where "issueId" is not null;
create index reactions_comment on reactions ("commentId") where "commentId" is not null;

create table attachments (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "issueId" uuid not null,
  "originalIssueId" uuid,
  "creatorId" uuid,
  title text not null,
  subtitle text,
  url text not null,
  "iconUrl" text,
  "groupBySource" boolean not null default false,
  metadata jsonb not null default '{}',
  source jsonb,
  "sourceType" text,
  unique ("issueId", url)
);

create table cycles (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "teamId" uuid not null,
  number int not null,
  name text,
  description text,
  "startsAt" timestamptz(3) not null,
  "endsAt" timestamptz(3) not null,
  "completedAt" timestamptz(3),
  "uncompletedIssueIdsUponClose" uuid[] not null default '{}'
);

create table projects (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  name text not null,
  description text not null default '',
  content text,
  "documentContentId" uuid not null,
  "slugId" varchar(12) not null,
  identifier text not null,
  "previousIdentifiers" text[] not null default '{}',
  icon text,
  color varchar(32) not null,
  "statusId" uuid not null,
  priority int not null default 0,
  "leadId" uuid,
  "leadTeamId" uuid not null,
  "creatorId" uuid,
  "startDate" date,
  "startDateResolution" varchar(8),
  "targetDate" date,
  "targetDateResolution" varchar(8),
  "sortOrder" float8 not null default 0,
  "prioritySortOrder" float8 not null default 0,
  "startedAt" timestamptz(3),
  "completedAt" timestamptz(3),
  "canceledAt" timestamptz(3),
  trashed boolean,
  "convertedFromIssueId" uuid,
  "lastAppliedTemplateId" uuid,
  "frequencyResolution" varchar(8) not null default 'weekly',
  "updateReminderFrequency" float8,
  "updateReminderFrequencyInWeeks" float8,
  "updateRemindersDay" varchar(12),
  "updateRemindersHour" float8,
  "projectUpdateRemindersPausedUntilAt" timestamptz(3),
  "slackNewIssue" boolean not null default true,
  "slackIssueComments" boolean not null default true,
  "slackIssueStatuses" boolean not null default true
);

create table project_teams (
  "projectId" uuid not null,
  "teamId" uuid not null
);

create table project_members (
  "projectId" uuid not null,
  "userId" uuid not null
);

create table project_statuses (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "teamId" uuid,
  name text not null,
  description text,
  type varchar(16) not null,
  color varchar(32) not null,
  position float8 not null,
  indefinite boolean not null default false
);

create table project_milestones (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "projectId" uuid not null,
  name text not null,
  description text,
  "documentContentId" uuid not null,
  "targetDate" date,
  "sortOrder" float8 not null default 0
);

create table project_updates (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "editedAt" timestamptz(3),
  "projectId" uuid not null,
  "userId" uuid not null,
  body text not null,
  "bodyData" text not null,
  health varchar(16) not null,
  "isDiffHidden" boolean not null default false,
  "slugId" varchar(12) not null
);

create table project_labels (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "teamId" uuid,
  "parentId" uuid,
  name text not null,
  description text,
  color varchar(32) not null,
  "isGroup" boolean not null default false,
  "groupType" varchar(16),
  "creatorId" uuid,
  "retiredAt" timestamptz(3),
  "retiredById" uuid
);

create table project_label_assignments (
  "projectId" uuid not null,
  "labelId" uuid not null,
  "createdAt" timestamptz(3) not null
);

create table project_relations (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  type varchar(16) not null,
  "projectId" uuid not null,
  "projectMilestoneId" uuid,
  "anchorType" varchar(16) not null,
  "relatedProjectId" uuid not null,
  "relatedProjectMilestoneId" uuid,
  "relatedAnchorType" varchar(16) not null,
  "userId" uuid
);

create table initiatives (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  name text not null,
  description text,
  content text,
  "documentContentId" uuid not null,
  "slugId" varchar(12) not null,
  identifier text not null,
  "previousIdentifiers" text[] not null default '{}',
  icon text,
  color varchar(32),
  status varchar(16) not null,
  visibility varchar(16) not null default 'public',
  priority int not null default 0,
  "ownerId" uuid,
  "leadTeamId" uuid,
  "creatorId" uuid,
  "targetDate" date,
  "targetDateResolution" varchar(8),
  "sortOrder" float8 not null default 0,
  "prioritySortOrder" float8 not null default 0,
  "startedAt" timestamptz(3),
  "completedAt" timestamptz(3),
  "canceledAt" timestamptz(3),
  trashed boolean,
  "frequencyResolution" varchar(8) not null default 'weekly',
  "updateReminderFrequency" float8,
  "updateReminderFrequencyInWeeks" float8,
  "updateRemindersDay" varchar(12),
  "updateRemindersHour" float8
);

create table initiative_to_projects (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "initiativeId" uuid not null,
  "projectId" uuid not null,
  "sortOrder" float8 not null default 0
);

create table initiative_relations (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "initiativeId" uuid not null,
  "relatedInitiativeId" uuid not null,
  "sortOrder" float8 not null default 0,
  "userId" uuid
);

create table initiative_updates (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "editedAt" timestamptz(3),
  "initiativeId" uuid not null,
  "userId" uuid not null,
  body text not null,
  "bodyData" text not null,
  health varchar(16) not null,
  "isDiffHidden" boolean not null default false,
  "slugId" varchar(12) not null
);

create table initiative_labels (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "parentId" uuid,
  name text not null,
  description text,
  color varchar(32) not null,
  "isGroup" boolean not null default false,
  "groupType" varchar(16),
  "creatorId" uuid,
  "retiredAt" timestamptz(3),
  "retiredById" uuid
);

create table initiative_label_assignments (
  "initiativeId" uuid not null,
  "labelId" uuid not null,
  "createdAt" timestamptz(3) not null
);

create table documents (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  title text not null,
  content text,
  "documentContentId" uuid not null,
  "slugId" varchar(12) not null,
  icon text,
  color varchar(32),
  "creatorId" uuid,
  "ownerId" uuid,
  "updatedById" uuid,
  "projectId" uuid,
  "initiativeId" uuid,
  "issueId" uuid,
  "teamId" uuid,
  "cycleId" uuid,
  "releaseId" uuid,
  "parentDocumentId" uuid,
  "resourceFolderId" text,
  "lastAppliedTemplateId" uuid,
  "sortOrder" float8 not null default 0,
  "subDocumentSortOrder" float8,
  "hiddenAt" timestamptz(3),
  trashed boolean,
  "subscriberIds" uuid[] not null default '{}',
  "sharedWithUserIds" uuid[] not null default '{}'
);

create table custom_views (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  name text not null,
  description text,
  icon text,
  color varchar(32),
  "slugId" varchar(12) not null,
  "modelName" varchar(16) not null,
  "filterData" jsonb not null default '{}',
  "projectFilterData" jsonb,
  "initiativeFilterData" jsonb,
  "feedItemFilterData" jsonb,
  shared boolean not null default false,
  "creatorId" uuid not null,
  "ownerId" uuid not null,
  "updatedById" uuid,
  "teamId" uuid,
  "projectId" uuid,
  "initiativeId" uuid
);

create table templates (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  type varchar(24) not null,
  name text not null,
  description text,
  icon text,
  color varchar(32),
  "templateData" jsonb not null,
  "teamId" uuid,
  "pipelineId" uuid,
  "creatorId" uuid,
  "lastUpdatedById" uuid,
  "sortOrder" float8 not null default 0
);

create table favorites (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  type varchar(32) not null,
  "ownerId" uuid not null,
  "parentId" uuid,
  "sortOrder" float8 not null,
  "folderName" text,
  "issueId" uuid,
  "projectId" uuid,
  "projectTab" varchar(16),
  "projectTeamId" uuid,
  "projectLabelId" uuid,
  "initiativeId" uuid,
  "initiativeTab" varchar(16),
  "initiativeLabelId" uuid,
  "teamId" uuid,
  "cycleId" uuid,
  "documentId" uuid,
  "labelId" uuid,
  "userId" uuid,
  "customViewId" uuid,
  "customerId" uuid,
  "predefinedViewType" varchar(32),
  "predefinedViewTeamId" uuid,
  "liveFolderPreset" text,
  "releaseId" uuid,
  "releaseNoteId" uuid,
  "releasePipelineId" uuid,
  "pipelineTab" varchar(16)
);

create table entity_external_links (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  label text not null,
  url text not null,
  "sortOrder" float8 not null,
  "creatorId" uuid,
  "projectId" uuid,
  "initiativeId" uuid,
  "teamId" uuid,
  "cycleId" uuid,
  "releaseId" uuid,
  "resourceFolderId" text
);

create table webhooks (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  label text,
  url text not null,
  secret text not null,
  enabled boolean not null default true,
  "resourceTypes" text[] not null,
  "allPublicTeams" boolean not null default false,
  "teamId" uuid,
  "creatorId" uuid
);

create table notification_subscriptions (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  active boolean not null default true,
  "subscriberId" uuid not null,
  "notificationSubscriptionTypes" text[] not null default '{}',
  "includeSubInitiativeUpdates" boolean not null default false,
  "contextViewType" varchar(16),
  "userContextViewType" varchar(16),
  "projectId" uuid,
  "initiativeId" uuid,
  "teamId" uuid,
  "cycleId" uuid,
  "labelId" uuid,
  "userId" uuid,
  "customViewId" uuid,
  "customerId" uuid
);

create table notifications (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  type varchar(48) not null,
  "userId" uuid not null,
  "actorId" uuid,
  "issueId" uuid,
  "projectId" uuid,
  "projectUpdateId" uuid,
  "projectMilestoneId" uuid,
  "initiativeId" uuid,
  "initiativeUpdateId" uuid,
  "documentId" uuid,
  "commentId" uuid,
  "parentCommentId" uuid,
  "reactionEmoji" varchar(100),
  "readAt" timestamptz(3),
  "snoozedUntilAt" timestamptz(3),
  "unsnoozedAt" timestamptz(3)
);
create index notifications_user on notifications ("userId", "createdAt" desc nulls last, id);

create table issue_history (
  id uuid primary key,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  "issueId" uuid not null,
  "actorId" uuid,
  "botActor" jsonb,
  "fromTitle" text,
  "toTitle" text,
  "updatedDescription" boolean,
  "fromStateId" uuid,
  "toStateId" uuid,
  "fromPriority" float8,
  "toPriority" float8,
  "fromAssigneeId" uuid,
  "toAssigneeId" uuid,
  "fromDelegateId" uuid,
  "toDelegateId" uuid,
  "fromTeamId" uuid,
  "toTeamId" uuid,
  "fromParentId" uuid,
  "toParentId" uuid,
  "fromProjectId" uuid,
  "toProjectId" uuid,
  "fromProjectMilestoneId" uuid,
  "toProjectMilestoneId" uuid,
  "fromCycleId" uuid,
  "toCycleId" uuid,
  "fromEstimate" float8,
  "toEstimate" float8,
  "fromDueDate" date,
  "toDueDate" date,
  "fromSlaType" text,
  "toSlaType" text,
  "fromSlaStartedAt" timestamptz(3),
  "toSlaStartedAt" timestamptz(3),
  "fromSlaBreachesAt" timestamptz(3),
  "toSlaBreachesAt" timestamptz(3),
  "addedLabelIds" uuid[],
  "removedLabelIds" uuid[],
  "addedToReleaseIds" uuid[],
  "removedFromReleaseIds" uuid[],
  "relationChanges" jsonb,
  "attachmentId" uuid,
  archived boolean,
  trashed boolean,
  "autoClosed" boolean
);
create index issue_history_issue on issue_history ("issueId");

-- Entities that only store their input: `data` holds the fields of the API's type, relations as "customerId".
create table records (
  id uuid primary key,
  type varchar(40) not null,
  "createdAt" timestamptz(3) not null,
  "updatedAt" timestamptz(3) not null,
  "archivedAt" timestamptz(3),
  data jsonb not null
);

-- Files that a client announced, and their bytes after the upload.
create table uploads (
  id uuid not null,
  "createdAt" timestamptz(3) not null,
  "creatorId" uuid not null,
  filename text not null,
  "contentType" text not null,
  size int not null,
  signature varchar(32), -- until the upload: the secret of its address
  content bytea
);
