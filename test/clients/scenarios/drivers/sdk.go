// The official SDK of Go. See test/clients/mcp/driver.ts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type withToken string

func (token withToken) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(request)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func report(answer any) {
	fmt.Println(string(must(json.Marshal(answer))))
}

func connect(url, token string) *mcp.ClientSession {
	client := mcp.NewClient(&mcp.Implementation{Name: "scenario", Version: "1.0.0"}, nil)
	transport := &mcp.StreamableClientTransport{
		Endpoint:   url,
		HTTPClient: &http.Client{Transport: withToken(token)},
	}
	options := &mcp.ClientSessionOptions{ProtocolVersion: os.Getenv("REVISION")}
	return must(client.Connect(context.Background(), transport, options))
}

func main() {
	background := context.Background()
	sessions := map[string]*mcp.ClientSession{
		"chat":    connect(os.Getenv("CHAT_URL"), os.Getenv("CHAT_TOKEN")),
		"tracker": connect(os.Getenv("TRACKER_URL"), os.Getenv("TRACKER_TOKEN")),
	}
	names := []string{}
	for _, session := range sessions {
		for tool, err := range session.Tools(background, nil) {
			names = append(names, must(tool, err).Name)
		}
	}
	report(map[string]any{"tools": names})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var call struct {
			Service   string
			Name      string
			Arguments map[string]any
		}
		must(0, json.Unmarshal(lines.Bytes(), &call))
		result := must(sessions[call.Service].CallTool(background, &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments}))
		report(map[string]any{"text": result.Content[0].(*mcp.TextContent).Text, "isError": result.IsError})
	}
	for _, session := range sessions {
		must(0, session.Close())
	}
}
