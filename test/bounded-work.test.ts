/**
 * What others send is read in a time that all others can wait: a tenant's Secret, or a Node of his,
 * must not stop the process that serves them too. Each reader gets 1 MiB of what it finds worst,
 * which takes minutes where the cost grows with the square of it.
 */
import { kubeConfigOfSecret } from '../kube/client/kubeconfig.ts';
import { viewOfNode } from '../watcher/cache/other-views.ts';
import { annotations, finalizers, labels } from '../workflows/api/constants.ts';
import type { DrainPod, Refusal } from '../workflows/plan/drain/removals.ts';
import { planRemovals } from '../workflows/plan/drain/removals.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../workflows/api/machine-set.ts';
import { formFaults, matches } from '../workflows/api/selector.ts';
import { nodeFaults } from '../workflows/plan/machine/health.ts';
import { planNodeTemplate } from '../workflows/plan/machine/node-template.ts';

const size = 1024 * 1024;
/** Of the processor; some ten times what a reader takes. */
const mostSeconds = 3;

interface Row {
  what: string;
  /** Makes the input, and returns what reads it, which may throw: a refusal is an answer. */
  prepare(): () => unknown;
}

/** As many entries of some 8 bytes as fill the size. */
function entries<T>(entryOf: (at: string) => T): T[] {
  return Array.from({ length: size / 8 }, (_, at) => entryOf(at.toString(36)));
}

const kubeconfigs: Row[] = [
  { of: 'many keys', text: () => entries((at) => `k${at}: 1`).join('\n') },
  { of: 'many keys in one line', text: () => `{${entries((at) => `k${at}: 1`).join(', ')}}` },
  { of: 'deep lists', text: () => '['.repeat(size) },
  { of: 'many faults', text: () => '}\n'.repeat(size / 2) },
].flatMap(({ of, text }) =>
  // As much as it takes, and more.
  [64 * 1024, size].map((bytes) => ({
    what: `a kubeconfig in a Secret with ${bytes} bytes of ${of}`,
    prepare() {
      const given = { text: text().slice(0, bytes), source: 'Secret a/b' };
      return () => kubeConfigOfSecret(given);
    },
  })),
);

const taints = () => entries((key) => ({ key, effect: 'b' }));

const notes: Row[] = [
  {
    what: 'a Node with a note of many taints, in the watcher',
    prepare() {
      const metadata = {
        name: 'n',
        uid: 'u',
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
        finalizers: [finalizers.node],
        labels: { [labels.machineName]: 'm' },
        annotations: {
          [annotations.lastAppliedNodeTemplate]: JSON.stringify({ spec: { taints: taints() } }),
        },
      };
      return () => viewOfNode({ metadata, spec: { taints: [] } });
    },
  },
  {
    what: 'a Machine with many taints, on a Node that has as many others',
    prepare() {
      const [present, template] = [taints().map((one) => ({ ...one, value: 'x' })), taints()];
      return () =>
        planNodeTemplate({ taints: present }, { machineName: 'm', template: { taints: template } });
    },
  },
];

const pods: Row[] = [
  { of: 'that were not asked yet', refusal: undefined },
  { of: 'that one budget refused', refusal: 'PodDisruptionBudget/a/web' },
].map(({ of, refusal }) => ({
  what: `a Node with thousands of pods ${of}`,
  prepare() {
    const all = entries((name): DrainPod => {
      const kind = { isMirror: false, isOfDaemonSet: false, isReady: true };
      const facts = { labels: {}, priority: 0, claims: [], graceSeconds: 30 };
      return { uid: name, namespace: 'a', name, ...facts, ...kind };
    });
    const refused = ({ uid }: DrainPod): [string, Refusal] => {
      const words = { why: 'not now', blockedBy: refusal ?? '', isHopeless: false };
      return [uid, { since: 0, nextTryAt: 0, ...words, isOfBudget: true }];
    };
    const refusals = Object.fromEntries(refusal === undefined ? [] : all.map(refused));
    const limits = { patienceMilliseconds: 1, evictionMilliseconds: 1e6, now: 1 };
    return () => planRemovals({ pods: all, refusals, isVolumeAwaited: false, ...limits });
  },
}));

const conditions: Row = {
  what: 'a Node with many conditions, of a Machine that names as many',
  prepare() {
    const present = entries((type) => ({ type, status: 'True' }) as const);
    const harmful = entries((type) => type);
    return () => nodeFaults(present, harmful);
  },
};

const selectors: Row[] = [
  { of: 'expressions', selector: () => ({ matchExpressions: entries(absent) }) },
  {
    of: 'labels',
    selector: () => ({ matchLabels: Object.fromEntries(entries((key) => [key, ''])) }),
  },
  {
    of: 'values',
    selector: () => ({
      matchExpressions: [{ key: 'a', operator: 'NotIn', values: entries(String) }],
    }),
  },
].map(({ of, selector }: { of: string; selector: () => LabelSelector }) => ({
  what: `a selector with many ${of}, of a thousand machines`,
  prepare() {
    const given = selector();
    const machines = Array.from({ length: 1_000 }, (_, index) => ({ pool: String(index) }));
    return () => [formFaults(given), machines.filter((one) => matches(given, one))];
  },
}));

function absent(key: string): LabelSelectorRequirement {
  return { key, operator: 'DoesNotExist' };
}

test.each<Row>([...kubeconfigs, ...notes, ...pods, conditions, ...selectors])(
  '$what',
  ({ prepare }) => {
    const read = prepare();
    const before = process.threadCpuUsage();
    try {
      read();
    } catch {
      // Refused.
    }
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000_000).toBeLessThan(mostSeconds);
  },
);
