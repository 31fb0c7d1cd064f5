"""What npm publishes of the tools of agents: what a project with the AI SDK installs and uses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.test_npm import STRICT, npm, run
from tests.tools.node import NODE, TYPESCRIPT
from typescript.pack import AGENTS, pack

BESIDE = ("typescript@6.0.2", "publint@0.3.25", "@arethetypeswrong/cli@0.18.5", "@types/node@24.19.2")
TYPED = """
import { createTools, type QueryResult } from "@service-nb/agents";
import { createService } from "@service-nb/client";
import { generateText, isStepCount, ToolLoopAgent, type LanguageModel } from "ai";
const tools = createTools(createService(), { onOutcome: async ({ card }) => void card.kind });
export async function answer(model: LanguageModel): Promise<readonly (readonly (string | null)[])[]> {
  const { steps } = await generateText({ model, tools, stopWhen: isStepCount(8), prompt: "?" });
  return steps.flatMap(({ toolResults }) =>
    toolResults.flatMap((each) => (each.toolName === "queryData" && !each.dynamic ? (each.output.rows ?? []) : [])),
  );
}
export const agent = (model: LanguageModel) => new ToolLoopAgent({ model, tools });
const result: QueryResult = await tools.queryData.execute({ aggregation: "count" });
// @ts-expect-error rows are texts or null
export const cell: number | undefined = result.rows?.[0]?.[0];
"""


@pytest.mark.slow
def test_a_project_with_the_ai_sdk_installs_and_uses_them(tmp_path: Path) -> None:
    *others, tarball = pack(tmp_path / "tarballs", AGENTS)
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text('{"type": "module", "private": true}', encoding="utf-8")
    peers = json.loads((TYPESCRIPT / "packages/agents/package.json").read_text(encoding="utf-8"))["devDependencies"]
    npm(project, "install", *others, tarball, *(f"{name}@{version}" for name, version in peers.items()), *BESIDE)
    modules = project / "node_modules"
    example = (modules / "@service-nb/agents/example/agent.js").read_text(encoding="utf-8")
    (project / "agent.js").write_text(example, encoding="utf-8")
    assert "North sold most: 32.5." in run(NODE.program, "agent.js", cwd=project)
    (project / "use.ts").write_text(TYPED, encoding="utf-8")
    options: Any = STRICT["compilerOptions"]
    config = {
        "compilerOptions": {**options, "types": ["node"], "skipLibCheck": True},
        "files": ["use.ts"],
    }  # as `ai` needs
    (project / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    run(NODE.program, "node_modules/typescript/bin/tsc", "--project", "tsconfig.json", cwd=project)
    assert "All good!" in run(NODE.program, modules / "publint/src/cli.js", "run", tarball, "--strict", cwd=project)
    run(NODE.program, modules / "@arethetypeswrong/cli/dist/index.js", tarball, "--profile", "esm-only", cwd=project)
