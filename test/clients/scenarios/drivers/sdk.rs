//! The official SDK of Rust. See test/clients/mcp/driver.ts.
use rmcp::model::{CallToolRequestParams, ClientConfig, ProtocolVersion};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};
use std::env::var;
use std::error::Error;

type Client = RunningService<RoleClient, ClientConfig>;

async fn connect(service: &str) -> Result<Client, Box<dyn Error>> {
    let config = StreamableHttpClientTransportConfig::with_uri(var(format!("{service}_URL"))?)
        .auth_header(var(format!("{service}_TOKEN"))?);
    let lifecycle = match var("REVISION")?.as_str() {
        "2026-07-28" => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
        _ => ClientLifecycleMode::Initialize,
    };
    let transport = StreamableHttpClientTransport::from_config(config);
    Ok(ClientConfig::default().serve_with_lifecycle(transport, lifecycle).await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let chat = connect("CHAT").await?;
    let tracker = connect("TRACKER").await?;
    let mut names = vec![];
    for client in [&chat, &tracker] {
        names.extend(client.list_all_tools().await?.into_iter().map(|tool| tool.name));
    }
    println!("{}", json!({ "tools": names }));
    for line in std::io::stdin().lines() {
        let call: Value = serde_json::from_str(&line?)?;
        let client = if call["service"] == "chat" { &chat } else { &tracker };
        let name = call["name"].as_str().unwrap_or_default().to_owned();
        let arguments = call["arguments"].as_object().cloned().unwrap_or_default();
        let params = CallToolRequestParams::new(name).with_arguments(arguments);
        let result = client.call_tool(params).await?;
        let text = result.content[0].as_text().map(|content| &content.text);
        println!("{}", json!({ "text": text, "isError": result.is_error.unwrap_or(false) }));
    }
    chat.cancel().await?;
    tracker.cancel().await?;
    Ok(())
}
