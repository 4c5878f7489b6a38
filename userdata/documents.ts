/** Reads profiles and configs: YAML, checked by their schemas; each fault names its line. */
import {
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type YAMLParseError,
  type YAMLWarning,
} from 'yaml';
import { mostFaults, schemaCheck, type SchemaFault } from '../activities/schema/schema-check.ts';
import type { UserDataConfig } from './config.ts';
import configSchema from './config.schema.json' with { type: 'json' };
import type { Profile } from './profile.ts';
import profileSchema from './profile.schema.json' with { type: 'json' };

/** Faults: sentences `FILE:LINE: FIELD: VALUE is not ALLOWED`; never empty. */
export type Read<T> = { value: T; faults?: undefined } | { faults: string[] };

const checkConfig = schemaCheck(configSchema);
const checkProfile = schemaCheck(profileSchema);

/** `file`: what the faults call it, such as `ConfigMap pool-a, config.yaml`. */
export function readConfig(text: string, file: string): Read<UserDataConfig> {
  return read(text, file, checkConfig);
}

export function readProfile(text: string, file: string): Read<Profile> {
  return read(text, file, checkProfile);
}

/** Characters. What is longer has files that belong in the image; reading it would keep a worker. */
const longestText = 128 * 1024;

function read<T>(text: string, file: string, check: (value: unknown) => SchemaFault[]): Read<T> {
  if (text.length > longestText) {
    return { faults: [`${file}: ${text.length} characters are more than ${longestText}`] };
  }
  const lineCounter = new LineCounter();
  // The library compares each key of a map with each other, which takes minutes of many.
  const options = { prettyErrors: false, stringKeys: true, uniqueKeys: false };
  const document = parseDocument(text, { lineCounter, ...options });
  const at = (offset: number): string => `${file}:${lineCounter.linePos(offset).line}`;
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) {
    const first = problems.slice(0, mostFaults);
    return { faults: first.map((problem) => `${at(problem.pos[0])}: ${wordsOf(problem)}`) };
  }
  const doubles = doubledKeys(document).slice(0, mostFaults);
  if (doubles.length > 0) {
    return { faults: doubles.map(({ name, offset }) => `${at(offset)}: ${name} is there twice`) };
  }
  let value: T;
  try {
    value = document.toJS();
  } catch (error) {
    // An alias without an anchor, or aliases that stand for very much.
    return { faults: [`${file}: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const faults = check(value).map(
    ({ pointer, sentence }) => `${at(offsetOf(document, stepsOf(pointer)))}: ${sentence}`,
  );
  return faults.length > 0 ? { faults } : { value };
}

function wordsOf({ code, message }: YAMLParseError | YAMLWarning): string {
  return code === 'MULTIPLE_DOCS' ? 'a second document begins here: only one is read' : message;
}

function doubledKeys(document: Document): { name: string; offset: number }[] {
  const doubles: { name: string; offset: number }[] = [];
  visit(document, {
    Map(_key, { items }) {
      const names = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (names.has(name)) doubles.push({ name, offset: key.range?.[0] ?? 0 });
        names.add(name);
      }
    },
  });
  return doubles;
}

/** Of the key of a field, or of the item of a list; of what is around it where that is an alias. */
function offsetOf(document: Document, steps: readonly string[]): number {
  const name = steps.at(-1);
  if (name === undefined) return 0;
  const around = steps.slice(0, -1);
  const parent = document.getIn(around, true);
  const nodes = isMap(parent)
    ? parent.items.map(({ key }) => key).filter((key) => isScalar(key) && key.value === name)
    : [document.getIn(steps, true)];
  const [node] = nodes;
  return isNode(node) && node.range ? node.range[0] : offsetOf(document, around);
}

function stepsOf(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
