"""@TITLE@: tasks in a simulated @SERVICE@ service, judged by the exact record of what changed."""

from openenv.core import GenericEnvClient


class @CLASS@(GenericEnvClient):
    """
    Actions: `{"type": "list_tools"}`, `{"type": "call_tool", "tool_name": …, "arguments": …}` and
    `{"type": "submit"}`, which ends the episode with its reward.

        with @CLASS@(base_url="http://127.0.0.1:8000").sync() as env:
            print(env.reset(index=0).observation["prompt"])
            print(env.step({"type": "submit"}).reward)
    """
