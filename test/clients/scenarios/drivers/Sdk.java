import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The official SDK of Java. See test/clients/mcp/driver.ts. */
class Sdk {
  static final JsonMapper JSON = new JsonMapper();

  static McpSyncClient connect(String service) {
    var url = System.getenv(service + "_URL");
    var request =
        HttpRequest.newBuilder()
            .header("Authorization", "Bearer " + System.getenv(service + "_TOKEN"));
    // Without its path: that is the endpoint.
    var server = url.substring(0, url.indexOf("/api/"));
    var transport =
        HttpClientStreamableHttpTransport.builder(server)
            .endpoint(url.substring(server.length()))
            .requestBuilder(request)
            .build();
    var client = McpClient.sync(transport).build();
    client.initialize();
    return client;
  }

  static void report(Object answer) throws Exception {
    var line = JSON.writeValueAsString(answer) + "\n";
    System.out.write(line.getBytes(StandardCharsets.UTF_8));
    System.out.flush();
  }

  public static void main(String[] none) throws Exception {
    var clients = Map.of("chat", connect("CHAT"), "tracker", connect("TRACKER"));
    List<String> names = new ArrayList<>();
    for (var client : clients.values())
      for (var tool : client.listTools().tools()) names.add(tool.name());
    report(Map.of("tools", names));
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      var call = JSON.readTree(line);
      var arguments = JSON.writeValueAsString(call.get("arguments"));
      @SuppressWarnings("unchecked")
      var request =
          McpSchema.CallToolRequest.builder(call.get("name").asString())
              .arguments(JSON.readValue(arguments, Map.class))
              .build();
      var result = clients.get(call.get("service").asString()).callTool(request);
      var text = ((McpSchema.TextContent) result.content().get(0)).text();
      report(Map.of("text", text, "isError", Boolean.TRUE.equals(result.isError())));
    }
    for (var client : clients.values()) client.closeGracefully();
  }
}
