/** The binary lists its contents, under licences that allow it, and so does its bill of materials. */
import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { dependencies } from "../../package.json";
import { billOfMaterials, licenses, listPackages, type Package } from "../../scripts/bundled";

/** Licences that allow distributing a binary with only their texts. */
const ALLOWED = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
];

let packages: Package[];
beforeAll(async () => {
  // The sources import a text that the build writes; before the first build it does not exist.
  const file = Bun.file(join(import.meta.dir, "../../dist/licenses.txt"));
  if (!(await file.exists())) await Bun.write(file, "");
  packages = await listPackages();
});

test("every dependency is in the binary, with its licence", () => {
  const names = packages.map(({ name }) => name);
  for (const name of Object.keys(dependencies)) expect(names).toContain(name);
  expect(names.length).toBeGreaterThan(Object.keys(dependencies).length);
  expect(packages.filter(({ license }) => !ALLOWED.includes(license))).toEqual([]);
  for (const { name, text, sha512 } of packages)
    expect([name, text.length > 40, sha512.length]).toEqual([name, true, 128]);
});

test("no test dependency is in the binary", () => {
  const names = packages.map(({ name }) => name);
  for (const name of ["fast-check", "kubernetes-models", "@slack/web-api", "typescript"])
    expect(names).not.toContain(name);
});

test("the text has them all, the runtime first", () => {
  const text = licenses(packages);
  const heads = [...text.matchAll(/^(\S+) (\S+): \S+\n─/gm)].map(([, name]) => name);
  expect(heads).toEqual(["bun", ...packages.map(({ name }) => name)]);
});

describe("the bill of materials", () => {
  test("is valid CycloneDX", async () => {
    const bill = JSON.stringify(billOfMaterials(packages, "1.2.3"));
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(bill)).toBeNull();
    expect(await validator.validate(bill.replace('"library"', '"thing"'))).not.toBeNull();
  });

  test("is the same for the same packages", () => {
    const [first, again, other] = ["1.2.3", "1.2.3", "1.2.4"].map((version) =>
      JSON.stringify(billOfMaterials(packages, version)),
    );
    expect(again).toBe(first!);
    expect(other).not.toBe(first!);
  });

  test("connects the program to every component", () => {
    const bill = billOfMaterials(packages, "1.2.3") as any;
    const refs = bill.components.map((component: any) => component["bom-ref"]);
    const [own, ...rest] = bill.dependencies;
    expect(own.dependsOn.toSorted()).toEqual(refs.toSorted());
    for (const { ref, dependsOn } of rest)
      expect([ref, ...dependsOn].filter((each) => !refs.includes(each))).toEqual([]);
  });
});
