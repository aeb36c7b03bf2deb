/** Packages of other languages at fixed versions, installed once into .diorama/packages. */
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

const HOME = join(import.meta.dir, "../../.diorama/packages");
/** Code that Python has compiled, by the folder of its source. */
export const PYTHON_CACHE = join(HOME, "../pycache");

/** Runs a command to its end; throws with what it printed unless it succeeds. Returns its standard output. */
export async function run(
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string | undefined> } = {},
): Promise<string> {
  const child = Bun.spawn([...command], {
    ...{ env: process.env, ...options },
    ...{ stdout: "pipe", stderr: "pipe" },
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${out}${err}`);
  return out.trim();
}

/**
 * Whether a test is skipped because this machine lacks one of the programs that it needs, which is printed. CI has them
 * all: there, the test fails without them.
 */
export function lacks(...programs: readonly string[]): boolean {
  const missing = programs.filter((program) => !Bun.which(program));
  if (missing.length === 0 || process.env["CI"]) return false;
  console.info(`tests are skipped that need ${missing.join(", ")}`);
  return true;
}

/** Installations of this process, by folder. */
const installations = new Map<string, Promise<string>>();

/** The folder that `install` filled, now or in an earlier run. Tests that run at the same time share an installation. */
function installed(
  key: readonly string[],
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(HOME, Bun.hash(key.join("\n")).toString(16));
  const installation = installations.get(folder) ?? fill(folder, install);
  installations.set(folder, installation);
  return installation;
}

async function fill(
  folder: string,
  install: (folder: string) => Promise<unknown>,
): Promise<string> {
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    await install(partial);
    await rename(partial, folder).catch((error) => {
      if (!existsSync(folder)) throw error; // another process was faster
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

/** Installs packages in a tenth of pip's time. */
const UV = "uv==0.13.9";

/** The commands of a virtual environment with uv and pip. */
const pythonTools = (): Promise<string> =>
  installed(["tools", UV], async (folder) => {
    await run(["python3", "-m", "venv", folder]);
    await run([join(folder, "bin/python"), "-m", "pip", "install", "--quiet", UV]);
  }).then((folder) => join(folder, "bin"));

/** Runs uv. */
export const uv = async (...args: readonly string[]): Promise<string> =>
  await run([join(await pythonTools(), "uv"), ...args, "--quiet"]);

/** A folder for PYTHONPATH with these packages: `slack_sdk==3.47.0`. */
export const pythonPackages = (...packages: readonly string[]): Promise<string> =>
  installed(["python", ...packages], async (folder) => {
    await uv("pip", "install", "--python", "python3", "--target", join(folder, "lib"), ...packages);
  }).then((folder) => join(folder, "lib"));

/** A folder of wheels with these packages and everything they need, to install from without a registry. */
export const pythonWheels = (...packages: readonly string[]): Promise<string> =>
  installed(["wheels", ...packages], async (folder) => {
    const python = join(await pythonTools(), "python");
    await run([python, "-m", "pip", "download", "--quiet", "--dest", folder, ...packages]);
  });

/** A folder whose node_modules holds these packages: `linear-mcp-server@0.1.0`. */
export const nodePackages = (...packages: readonly string[]): Promise<string> =>
  installed(["node", ...packages], async (folder) => {
    await Bun.write(join(folder, "package.json"), "{}");
    await run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", ...packages], {
      cwd: folder,
    });
  });

/** A Go module that requires a package, or the module of this name, at a version. */
export const goModule = (path: string, version: string): Promise<string> =>
  installed(["go", path, version], async (folder) => {
    await run(["go", "mod", "init", "scenario"], { cwd: folder });
    await run(["go", "get", `${path}@${version}`], { cwd: folder });
  });

const COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies";

/** A folder with the archives of Java libraries, and of those they need: `io.modelcontextprotocol.sdk:mcp:2.1.0`. */
export const javaPackages = (...libraries: readonly string[]): Promise<string> =>
  installed(["java", ...libraries], async (folder) => {
    const dependencies = libraries.map((library) => {
      const [groupId, artifactId, version] = library.split(":");
      return `<dependency>
    <groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version>
  </dependency>`;
    });
    const pom = `<project><modelVersion>4.0.0</modelVersion>
  <groupId>diorama</groupId><artifactId>scenario</artifactId><version>1</version>
  <dependencies>${dependencies.join("")}</dependencies>
</project>`;
    await Bun.write(join(folder, "pom.xml"), pom);
    await run(["mvn", "--quiet", "--batch-mode", COPY, "-DoutputDirectory=lib"], { cwd: folder });
  }).then((folder) => join(folder, "lib"));

/** The program of a Rust source. `dependencies`: lines of the manifest. Compiled for a short time to compile, not to run. */
export const rustProgram = (source: string, dependencies: string): Promise<string> =>
  installed(["rust", dependencies, source], async (folder) => {
    const manifest = `[package]
name = "scenario"
version = "1.0.0"
edition = "2024"
[dependencies]
${dependencies}
[profile.dev]
debug = false
incremental = false
`;
    await Bun.write(join(folder, "Cargo.toml"), manifest);
    await Bun.write(join(folder, "src/main.rs"), source);
    await run(["cargo", "build", "--quiet"], { cwd: folder });
  }).then((folder) => join(folder, "target/debug/scenario"));
