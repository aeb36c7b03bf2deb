// The chat through slack-go. Prints the number of calls.
package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/slack-go/slack"
)

var calls int

func check(err error, what string) {
	calls++
	if err != nil {
		panic(fmt.Sprintf("%s: %v", what, err))
	}
}

func expect(fits bool, what string, seen any) {
	if !fits {
		panic(fmt.Sprintf("%s: %+v", what, seen))
	}
}

func main() {
	chat := slack.New(os.Getenv("TOKEN"), slack.OptionAPIURL(os.Getenv("URL")+"/"))
	me, err := chat.AuthTest()
	check(err, "auth.test")
	expect(me.UserID == "U01AGENTONE", "user", me)
	team, err := chat.GetTeamInfo()
	check(err, "team.info")
	expect(team.ID == me.TeamID, "team", team)
	users, err := chat.GetUsers()
	check(err, "users.list")
	expect(len(users) >= 3, "users", users)
	john, err := chat.GetUserInfo("U02JOHNADOE")
	check(err, "users.info")
	again, err := chat.GetUserByEmail(john.Profile.Email)
	check(err, "users.lookupByEmail")
	expect(again.ID == "U02JOHNADOE", "by email", again)
	channel, err := chat.CreateConversation(slack.CreateConversationParams{ChannelName: "from-go"})
	check(err, "conversations.create")
	_, err = chat.InviteUsersToConversation(channel.ID, "U02JOHNADOE")
	check(err, "conversations.invite")
	_, err = chat.SetTopicOfConversation(channel.ID, "Topic")
	check(err, "conversations.setTopic")
	_, err = chat.SetPurposeOfConversation(channel.ID, "Purpose")
	check(err, "conversations.setPurpose")
	info, err := chat.GetConversationInfo(&slack.GetConversationInfoInput{ChannelID: channel.ID})
	check(err, "conversations.info")
	expect(info.Topic.Value == "Topic" && info.Purpose.Value == "Purpose", "info", info)
	members, _, err := chat.GetUsersInConversation(&slack.GetUsersInConversationParameters{ChannelID: channel.ID})
	check(err, "conversations.members")
	expect(len(members) == 2, "members", members)
	var posted []string
	for n := 0; n < 5; n++ {
		_, ts, err := chat.PostMessage(channel.ID, slack.MsgOptionText(fmt.Sprintf("Message %d", n), false))
		check(err, "chat.postMessage")
		posted = append(posted, ts)
	}
	_, _, err = chat.PostMessage(channel.ID, slack.MsgOptionText("Reply", false), slack.MsgOptionTS(posted[0]))
	check(err, "reply")
	replies, _, _, err := chat.GetConversationReplies(&slack.GetConversationRepliesParameters{ChannelID: channel.ID, Timestamp: posted[0]})
	check(err, "conversations.replies")
	expect(len(replies) == 2 && replies[1].Text == "Reply", "replies", replies)
	_, _, _, err = chat.UpdateMessage(channel.ID, posted[1], slack.MsgOptionText("Changed", false))
	check(err, "chat.update")
	section := slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", "*Bold*", false, false), nil, nil)
	_, _, err = chat.PostMessage(channel.ID, slack.MsgOptionBlocks(section))
	check(err, "blocks")
	var texts []string
	cursor := ""
	for {
		page, err := chat.GetConversationHistory(&slack.GetConversationHistoryParameters{ChannelID: channel.ID, Limit: 2, Cursor: cursor})
		check(err, "conversations.history")
		for _, message := range page.Messages {
			texts = append(texts, message.Text)
		}
		if cursor = page.ResponseMetaData.NextCursor; cursor == "" {
			break
		}
	}
	expect(strings.Contains(strings.Join(texts, "|"), "Message 4|Message 3|Message 2|Changed|Message 0"), "history", texts)
	item := slack.NewRefToMessage(channel.ID, posted[2])
	check(chat.AddReaction("tada", item), "reactions.add")
	reactions, err := chat.GetReactions(item, slack.NewGetReactionsParameters())
	check(err, "reactions.get")
	expect(fmt.Sprint(reactions) != "[]", "reactions", reactions)
	check(chat.RemoveReaction("tada", item), "reactions.remove")
	check(chat.AddPin(channel.ID, slack.NewRefToMessage(channel.ID, posted[3])), "pins.add")
	pins, _, err := chat.ListPins(channel.ID)
	check(err, "pins.list")
	expect(len(pins) == 1, "pins", pins)
	link, err := chat.GetPermalink(&slack.PermalinkParameters{Channel: channel.ID, Ts: posted[3]})
	check(err, "chat.getPermalink")
	expect(strings.Contains(link, channel.ID), "link", link)
	file, err := chat.UploadFile(slack.UploadFileParameters{Reader: bytes.NewReader([]byte("hello")), FileSize: 5, Filename: "a.txt", Title: "A", Channel: channel.ID})
	check(err, "upload")
	stored, _, _, err := chat.GetFileInfo(file.ID, 0, 0)
	check(err, "files.info")
	expect(stored.Size == 5 && stored.Title == "A", "file", stored)
	var content bytes.Buffer
	check(chat.GetFile(stored.URLPrivateDownload, &content), "download")
	expect(content.String() == "hello", "content", content.String())
	direct, _, _, err := chat.OpenConversation(&slack.OpenConversationParameters{Users: []string{"U02JOHNADOE"}})
	check(err, "conversations.open")
	_, _, err = chat.PostMessage(direct.ID, slack.MsgOptionText("Hi", false))
	check(err, "direct message")
	_, _, err = chat.DeleteMessage(channel.ID, posted[4])
	check(err, "chat.delete")
	_, _, err = chat.PostMessage("C0NOWHERE", slack.MsgOptionText("x", false))
	calls++
	expect(err != nil && err.Error() == "channel_not_found", "error", err)
	check(chat.ArchiveConversation(channel.ID), "conversations.archive")
	fmt.Println(calls)
}
