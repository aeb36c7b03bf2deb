/** Documents of older official clients that the service rejects since a breaking change of its schema. */
type BreakingChange = {
  /** The version of the official client whose documents follow the change; a range where that is all we know. */
  readonly since: string;
  readonly change: string;
  /** Names of the documents, without their ending. */
  readonly documents: readonly string[];
};

export const BREAKING_CHANGES: readonly BreakingChange[] = [
  {
    since: "89 to 98",
    change:
      "Calls with an access key return AccessKeyRelease, AccessKeyReleasePipeline and AccessKeyReleasePayload, without documents, history, issues, links, stages and teams.",
    documents: [
      "LatestReleaseByAccessKey",
      "LatestReleaseByAccessKey_Documents",
      "LatestReleaseByAccessKey_History",
      "LatestReleaseByAccessKey_Issues",
      "LatestReleaseByAccessKey_Links",
      "RecentReleasesByAccessKey",
      "ReleaseCompleteByAccessKey",
      "ReleasePipelineByAccessKey",
      "ReleasePipelineByAccessKey_Releases",
      "ReleasePipelineByAccessKey_Stages",
      "ReleasePipelineByAccessKey_Teams",
      "ReleaseSyncByAccessKey",
      "ReleaseUpdateByPipelineByAccessKey",
    ],
  },
  {
    since: "87",
    change: "releasePipelineDelete returns ReleasePipelineArchivePayload, no longer DeletePayload.",
    documents: ["DeleteReleasePipeline"],
  },
  {
    since: "84",
    change: "integrationSalesforce requires codeVerifier.",
    documents: ["IntegrationSalesforce"],
  },
  {
    since: "82",
    change:
      "initiativeRelation returns InitiativeRelation, no longer ProjectRelation; initiativeRelationUpdate returns InitiativeRelationPayload, no longer DeletePayload.",
    documents: ["InitiativeRelation", "UpdateInitiativeRelation"],
  },
  {
    since: "71 to 86",
    change: "asksWebFormsAuth was removed.",
    documents: ["AsksWebFormsAuth"],
  },
];
