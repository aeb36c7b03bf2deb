"""Calls the server at `URL` with the client that openapi-python-client generates."""

import importlib
import os
import pkgutil

import diorama_client
from diorama_client import Client
from diorama_client.api.chat import chat_post_message, conversations_history_via_get
from diorama_client.api.environments import init_env
from diorama_client.models import ChatPostMessageArguments, CreatedEnvironment, NewEnvironment, Service

for module in pkgutil.walk_packages(diorama_client.__path__, "diorama_client."):
    importlib.import_module(module.name)

client = Client(base_url=os.environ["URL"], raise_on_unexpected_status=True)

environment = init_env.sync(
    client=client,
    body=NewEnvironment(
        template_service=Service.CHAT,
        template_name="chat_default",
        impersonate_user_id="U01AGENTONE",
    ),
)
assert isinstance(environment, CreatedEnvironment), environment

said = chat_post_message.sync(
    environment.environment_id,
    client=client,
    body=ChatPostMessageArguments(channel="C01GENERAL", text="Hello from Python"),
)
read = conversations_history_via_get.sync(
    environment.environment_id, client=client, channel="C01GENERAL", limit=1
)
assert said.ok and "Hello from Python" in str(read.to_dict()), (said, read)
