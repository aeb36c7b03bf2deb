/** Standard libraries of other languages, with the hosts of the real services in their code. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { useIntercept } from "../support/intercept";
import { lacks } from "../support/packages";

const MINUTE = 60_000;
const place = useIntercept();

const GO = `package main
import ("fmt"; "io"; "net/http"; "net/url")
func main() {
  answer, err := http.PostForm("https://slack.com/api/chat.postMessage",
    url.Values{"token": {"xoxb-1-made-up"}, "channel": {"C02RANDOM"}, "text": {"from Go"}})
  if err != nil { panic(err) }
  body, _ := io.ReadAll(answer.Body)
  fmt.Println(answer.StatusCode, len(body) > 0)
}`;
const JAVA = `import java.net.URI; import java.net.http.*;
class Post { public static void main(String[] none) throws Exception {
  var request = HttpRequest.newBuilder(URI.create("https://slack.com/api/chat.postMessage?channel=C02RANDOM&text=from+Java")).build();
  System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
}}`;

test.skipIf(lacks("go"))(
  "Go reaches the chat",
  async () => {
    const path = join(place.folder, "post.go");
    await Bun.write(path, GO);
    expect(
      await place.intercept([...place.to, "--via", "proxy"], ["go", "run", path]),
    ).toMatchObject({ code: 0, out: "200 true" });
    expect(await place.lastMessage()).toBe("from Go");
  },
  3 * MINUTE, // Go compiles its library first.
);

test.skipIf(lacks("java"))(
  "Java reaches the chat",
  async () => {
    const path = join(place.folder, "Post.java");
    await Bun.write(path, JAVA);
    expect(await place.intercept([...place.to, "--via", "proxy"], ["java", path])).toMatchObject({
      code: 0,
      out: "200",
    });
    expect(await place.lastMessage()).toBe("from Java");
  },
  MINUTE,
);
