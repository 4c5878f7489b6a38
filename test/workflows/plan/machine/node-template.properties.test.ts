import fc from 'fast-check';
import { annotations, labels } from '../../../../workflows/api/constants.ts';
import type { Taint } from '../../../../workflows/api/machine.ts';
import type {
  NodeTemplate,
  TextChanges,
} from '../../../../workflows/plan/machine/node-template.ts';
import { planNodeTemplate } from '../../../../workflows/plan/machine/node-template.ts';

const machineName = 'pool-a';
// Few keys and values, so that templates and Nodes often meet.
const anyTexts = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('', '1', '2'));
const anyTaint: fc.Arbitrary<Taint> = fc.record(
  {
    key: fc.constantFrom('a', 'b', 'c'),
    effect: fc.constantFrom('NoSchedule', 'NoExecute'),
    value: fc.constantFrom('', '1', '2'),
  },
  { requiredKeys: ['key', 'effect'] },
);
const idOf = ({ key, effect }: Taint): string => `${key}:${effect}`;
/** As an API server takes them: each key and effect once. */
const anyTaints = fc.uniqueArray(anyTaint, { selector: idOf, maxLength: 6 });
const anyTemplate: fc.Arbitrary<NodeTemplate> = fc.record(
  { labels: anyTexts, annotations: anyTexts, taints: anyTaints },
  { requiredKeys: [] },
);

function after(node: NodeTemplate, template: NodeTemplate, applied?: NodeTemplate): NodeTemplate {
  const change = planNodeTemplate(node, { machineName, template, applied });
  return {
    labels: changed(node.labels, change.labels),
    annotations: changed(node.annotations, change.annotations),
    taints: change.taints ?? node.taints ?? [],
  };
}

function changed(texts: Record<string, string> = {}, changes: TextChanges): Record<string, string> {
  const all: TextChanges = { ...texts, ...changes };
  return Object.fromEntries(
    Object.entries(all).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );
}

/** Applied once after the other. */
const history = fc.record({ node: anyTemplate, last: anyTemplate, template: anyTemplate });

describe('whatever was applied before', () => {
  test('a Node that was just written needs nothing', () => {
    fc.assert(
      fc.property(history, ({ node, last, template }) => {
        const written = after(after(node, last), template, last);
        expect(planNodeTemplate(written, { machineName, template, applied: template })).toEqual({
          labels: {},
          annotations: {},
          isLastAppliedCorrupt: false,
        });
      }),
    );
  });

  test('it has all of the template', () => {
    fc.assert(
      fc.property(history, ({ node, last, template }) => {
        const written = after(after(node, last), template, last);
        expect(written.labels).toMatchObject({
          ...template.labels,
          [labels.machineName]: machineName,
        });
        expect(written.annotations).toMatchObject(template.annotations ?? {});
        const values = new Map(written.taints?.map((taint) => [idOf(taint), taint.value ?? '']));
        for (const taint of template.taints ?? []) {
          expect(values.get(idOf(taint))).toBe(taint.value ?? '');
        }
        expect(values.size).toBe(written.taints?.length);
      }),
    );
  });

  test('it keeps what no template ever named, and nothing else', () => {
    fc.assert(
      fc.property(history, ({ node, last, template }) => {
        const written = after(after(node, last), template, last);
        const named = { ...last.labels, ...template.labels };
        const kept = Object.entries(node.labels ?? {}).filter(([key]) => !(key in named));
        expect(written.labels).toEqual({
          ...Object.fromEntries(kept),
          ...template.labels,
          [labels.machineName]: machineName,
        });
        const ids = new Set([...(last.taints ?? []), ...(template.taints ?? [])].map(idOf));
        const foreign = (node.taints ?? []).filter((taint) => !ids.has(idOf(taint)));
        expect(written.taints).toEqual(expect.arrayContaining(foreign));
        expect(written.taints).toHaveLength(foreign.length + (template.taints ?? []).length);
      }),
    );
  });

  test('a text that nobody can read removes nothing', () => {
    fc.assert(
      fc.property(anyTemplate, anyTemplate, fc.string(), (node, template, text) => {
        fc.pre(!/^\s*\{/.test(text));
        const notes = { ...node.annotations, [annotations.lastAppliedNodeTemplate]: text };
        const written = after({ ...node, annotations: notes }, template);
        for (const key of Object.keys(node.labels ?? {}))
          expect(written.labels).toHaveProperty(key);
        expect(written.taints?.length).toBeGreaterThanOrEqual(node.taints?.length ?? 0);
      }),
    );
  });
});
