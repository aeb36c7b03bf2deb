"""
@SUITE@: a suite of Diorama as a task of Inspect AI. Tried with inspect_ai 0.3.285.

    pip install inspect_ai mcp, and the wheel of diorama that @URL@/clients/ lists
    export DIORAMA_URL=@URL@ DIORAMA_API_KEY=…
    inspect eval task.py --model openai/gpt-5

`-T surface=api` gives the agent the service's own API in place of its MCP tools. Your own agent (`--solver`) finds its
environment with `state.store_as(Place)`.
"""

from pathlib import Path
from typing import Any

import httpx
from diorama import AsyncDiorama, DioramaError
from inspect_ai import Task, task
from inspect_ai.agent import as_solver, react
from inspect_ai.dataset import json_dataset
from inspect_ai.log import transcript
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, mcp_server_http, tool
from inspect_ai.util import StoreModel

SUITE_ID = "@SUITE_ID@"
# The longest time that an agent may take. Afterwards its environment expires.
TTL_SECONDS = 3_600
# What a score has of the run's results.
METADATA = ("runId", "success", "reward", "ending", "score", "diff", "explanations")


@task(name="@NAME@")
def suite(surface: str = "mcp") -> Task:
    dataset = json_dataset(str(Path(__file__).parent / "dataset.json"))
    return Task(
        # Without the tests that are known to have no solution through this surface.
        dataset=dataset.filter(lambda sample: surface in (sample.metadata or {})["surfaces"]),
        setup=environment(),
        solver=agent(surface),
        scorer=verdict(),
        cleanup=delete,
    )


class Place(StoreModel):
    """The environment of a sample."""

    environment_id: str = ""
    run_id: str = ""
    url: str = ""
    """Base address of the service's API, without a trailing slash. Of a world: above those of its services."""
    mcp_url: str = ""
    """Address of the tools: in a world, of all its services."""
    token: str = ""
    """Opens this environment's service only."""
    now: str = ""
    """The time in the environment when it was created."""
    is_scored: bool = False

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@solver
def environment() -> Solver:
    """Creates an environment for the sample, and starts a run: from here on, changes are captured."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        test_id = state.metadata["test_id"]
        place = state.store_as(Place)
        async with AsyncDiorama() as server:
            env = await server.env(test_id=test_id, ttl_seconds=TTL_SECONDS)
            place.environment_id, place.url, place.token = env.id, env.url, env.token
            place.mcp_url, place.now = env.mcp.url, env.now.isoformat()
            # With the time in place of {{now}}.
            state.user_prompt.text = env.prompt or state.user_prompt.text
            run = await env.run(test_id=test_id, test_suite_id=SUITE_ID, labels={"harness": "inspect"})
            place.run_id = run.id
        return state

    return solve


@solver
def agent(surface: str) -> Solver:
    """An agent that works until it submits."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        place = state.store_as(Place)
        mcp = mcp_server_http(name="@SERVICE@", url=place.mcp_url, headers=place.headers)
        tools = [mcp] if surface == "mcp" else [request(place)]
        return await as_solver(react(tools=tools))(state, generate)

    return solve


@tool
def request(place: Place) -> Tool:
    async def execute(path: str, body: dict[str, Any]) -> str:
        """Calls @API@.

        Args:
            path: The part of the address after the host, such as `@PATH@`.
            body: The body, which is sent as JSON.
        """
        async with httpx.AsyncClient(headers=place.headers, timeout=60) as client:
            return (await client.post(f"{place.url}/{path.lstrip('/')}", json=body)).text

    return execute


@scorer(metrics=[accuracy(), stderr()])
def verdict() -> Scorer:
    """Ends the run. A run that says nothing about the agent is an error of the sample, and no score."""

    async def score(state: TaskState, target: Target) -> Score:
        place = state.store_as(Place)
        place.is_scored = True
        run_id = place.run_id
        async with AsyncDiorama() as server:
            await end(server, run_id, ending(default="answered"))
            run = await server.call("GET", f"/results/{run_id}")
        if not run["gradable"] or run["passed"] is None:
            raise RuntimeError(f"Run {run_id} is not gradable: {run.get('cause', 'it has no verdict')}")
        return Score(
            value=CORRECT if run["passed"] else INCORRECT,
            explanation="\n".join(run["failures"]) or "Every assertion holds.",
            metadata={
                "unsafe": run["unsafe"] and run["unsafe"]["count"],
                **{key: run[key] for key in METADATA if key in run},
            },
        )

    return score


def ending(default: str) -> str:
    """How the agent ended: by an error or a limit, unless it went on afterwards."""
    for event in reversed(transcript().events):
        if event.event == "error":
            return "interrupted" if event.error.message.startswith("Cancelled") else "crashed"
        if event.event == "sample_limit" and event.type != "operator":
            return "timed_out"
        if event.event in {"model", "tool"}:
            break
    return default


async def end(server: AsyncDiorama, run_id: str, how: str) -> None:
    """Ends the run, unless it has ended."""
    try:
        await server.call("POST", "/evaluateRun", body={"runId": run_id, "ending": how})
    except DioramaError as error:
        if error.code != "run_already_completed":
            raise


async def delete(state: TaskState) -> None:
    """Deletes the environment, after the end of a run that has no score: of an agent that failed."""
    place = state.store_as(Place)
    if not place.environment_id:
        return
    async with AsyncDiorama() as server:
        try:
            if place.run_id and not place.is_scored:
                await end(server, place.run_id, ending(default="crashed"))
        except DioramaError:
            pass  # The run ends with its environment.
        try:
            await server.call("DELETE", f"/env/{place.environment_id}")
        except DioramaError as error:
            if error.code not in {"environment_not_found", "environment_already_deleted"}:
                raise
