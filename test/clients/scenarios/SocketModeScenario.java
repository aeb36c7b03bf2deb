import com.google.gson.JsonObject;
import com.slack.api.Slack;
import com.slack.api.SlackConfig;
import com.slack.api.socket_mode.SocketModeClient;
import com.slack.api.socket_mode.response.AckResponse;

/**
 * Events through the Java client of Slack: `java SocketModeScenario.java Tyrus` or `JavaWebSocket`. Prints a line of JSON
 * for each connection and event. Ends with its input.
 */
class SocketModeScenario {
  static synchronized void say(JsonObject line) {
    System.out.println(line);
  }

  public static void main(String[] given) throws Exception {
    var config = new SlackConfig();
    config.setMethodsEndpointUrlPrefix(System.getenv("URL") + "/");
    var backend = SocketModeClient.Backend.valueOf(given[0]);
    var client = Slack.getInstance(config).socketMode(System.getenv("APP_TOKEN"), backend);
    client.addWebSocketMessageListener(text -> {
      if (!text.contains("\"type\":\"hello\"")) return;
      var line = new JsonObject();
      line.addProperty("connected", true);
      say(line);
    });
    client.addEventsApiEnvelopeListener(envelope -> {
      var answer = AckResponse.builder().envelopeId(envelope.getEnvelopeId()).build();
      client.sendSocketModeResponse(answer);
      var payload = envelope.getPayload().getAsJsonObject();
      var line = new JsonObject();
      line.add("event", payload.get("event"));
      line.add("id", payload.get("event_id"));
      say(line);
    });
    client.connect();
    while (System.in.read() >= 0);
    client.close();
    System.exit(0);
  }
}
