/** YAML with the lines of what stands in it. */
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Tags,
  type YAMLParseError,
  type YAMLWarning,
} from 'yaml';
import { stepsOf } from '../activities/schema/schema-check.ts';

export interface LineFault {
  /** From 1. */
  line: number;
  sentence: string;
}

export interface YamlRead {
  document: Document.Parsed;
  /** Empty: it is YAML. */
  faults: LineFault[];
  /** Tags that are not known. */
  warnings: LineFault[];
  /** Line of the field, or of what is nearest around it, by its JSON pointer. */
  lineOf(pointer: string): number;
}

/** `version`: of YAML; cloud-init reads 1.1, where `yes` is true. Default 1.2. */
export function readYaml(text: string, version: '1.1' | '1.2' = '1.2'): YamlRead {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter,
    version,
    prettyErrors: false,
    // The library compares each key of a map with each other, which takes minutes of many.
    uniqueKeys: false,
    ...(version === '1.1' ? { customTags: asPython } : { stringKeys: true }),
  });
  const lineAt = (offset: number): number => lineCounter.linePos(offset).line;
  const faultOf = ({ code, message, pos }: YAMLParseError | YAMLWarning): LineFault => ({
    line: lineAt(pos[0]),
    sentence: code === 'MULTIPLE_DOCS' ? 'a second document begins here' : message,
  });
  const found = document.errors.map(faultOf);
  const doubled = doubledKeys(document).map(({ name, offset }) => ({
    line: lineAt(offset),
    sentence: `${name} is there twice`,
  }));
  // The parser goes on after a fault, and says more about the same line.
  const byLine = new Map([...found, ...doubled].toReversed().map((fault) => [fault.line, fault]));
  const faults = [...byLine.values()].toReversed();
  return {
    document,
    faults,
    warnings: document.warnings.map(faultOf),
    lineOf: (pointer) => lineAt(offsetOf(document, pointer)),
  };
}

/** A single letter is a text for cloud-init, also where YAML 1.1 has it for true or false. */
function asPython(tags: Tags): Tags {
  return tags.map((tag) =>
    typeof tag === 'object' && 'test' in tag && tag.tag === 'tag:yaml.org,2002:bool' && tag.test
      ? { ...tag, test: new RegExp(tag.test.source.replace(/\b[YNyn]\|/g, '')) }
      : tag,
  );
}

function doubledKeys(document: Document.Parsed): { name: string; offset: number }[] {
  const doubled: { name: string; offset: number }[] = [];
  visit(document, {
    Map(_key, { items }) {
      const names = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (names.has(name)) doubled.push({ name, offset: key.range?.[0] ?? 0 });
        names.add(name);
      }
    },
  });
  return doubled;
}

function offsetOf({ contents }: Document.Parsed, pointer: string): number {
  let node: unknown = contents;
  let offset = contents?.range[0] ?? 0;
  for (const step of stepsOf(pointer)) {
    const pair = isMap(node) ? node.items.find(({ key }) => String(key) === step) : undefined;
    const inside = isSeq(node) ? node.items[Number(step)] : pair?.value;
    const named = pair ? pair.key : inside;
    if (isNode(named)) offset = named.range?.[0] ?? offset;
    node = inside;
  }
  return offset;
}
