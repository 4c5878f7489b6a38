/** YAML with the lines of what stands in it. */
import { isMap, isNode, isSeq, LineCounter, parseDocument, type Document, type Tags } from 'yaml';

export interface LineFault {
  /** From 1. */
  line: number;
  sentence: string;
}

interface YamlRead {
  document: Document.Parsed;
  /** Empty: it is YAML. */
  faults: LineFault[];
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
    ...(version === '1.1' && { customTags: asPython }),
  });
  const lineAt = (offset: number): number => lineCounter.linePos(offset).line;
  const found = document.errors.map(({ message, pos }) => ({
    line: lineAt(pos[0]),
    sentence: message,
  }));
  // The parser goes on after a fault, and says more about the same line.
  const faults = found.filter(
    ({ line }, index) => found.findIndex((one) => one.line === line) === index,
  );
  return {
    document,
    faults,
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

function stepsOf(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
