/**
 * Objects with any content that this API server takes: each is followed or says why not, none
 * disturbs another, all can go.
 */
import fc from 'fast-check';
import type { KubeObject } from '../../../kube/client/client.ts';
import { KubeError } from '../../../kube/client/errors.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import type { MachineKind } from '../../../kube/client/paths.ts';
import type { Condition } from '../../../workflows/api/meta.ts';
import { metadataOf, schemaOf } from '../../support/fuzz/objects.ts';
import { runs } from '../../support/fuzz/runs.ts';
import { seedVariable, testSeed } from '../../support/seed.ts';
import type { Schema } from '../../support/fuzz/schema.ts';
import { mostlyLike } from '../../support/fuzz/schema.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { eventually } from '../../support/eventually.ts';
import type { EventObject } from '../support/cluster.ts';
import { createMachine, untilPhase } from '../support/machines.ts';
import { classManifest, deploymentManifest, machineManifest } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';

interface Fuzzed extends KubeObject {
  spec?: { replicas?: number };
  status?: {
    observedGeneration?: number;
    currentStatus?: { phase?: string };
    lastOperation?: { description?: string };
    conditions?: Condition[];
    machineSetCondition?: Condition[];
  };
}

const seed = testSeed();
/** Of each kind; the API server takes about half of them. */
const drawn = runs(10).numRuns;
/** Whatever they ask for: a scenario is no place for a billion machines. */
const mostReplicas = 2;
/** The clocks of servers end in 2262. */
const longestTimes = {
  creationTimeout: '2540400h',
  healthTimeout: '2540400h',
  drainTimeout: '2540400h',
};
const kinds: MachineKind[] = ['machineclasses', 'machines', 'machinesets', 'machinedeployments'];

describe(`objects drawn with ${seedVariable}=${seed}`, () => {
  const scenario = useScenario('fuzz', { isDoubled: false });
  const { cluster, namespace, workflows, operator } = scenario;

  function goodOf(kind: MachineKind, name: string): object {
    const named = { namespace, name };
    if (kind === 'machineclasses') return classManifest(named);
    if (kind === 'machines') return machineManifest(named, { creationTimeout: '30s' });
    const deployment = deploymentManifest(named, { replicas: 1 });
    return kind === 'machinedeployments' ? deployment : setOf(deployment);
  }

  /**
   * Draws objects of a kind. Names are the scenario's own, and nothing but us holds them back from
   * going.
   */
  function drawOf(kind: MachineKind): object[] {
    return Array.from({ length: drawn }, (_, index) => {
      const { name } = scenario.named(`${kind.slice(7)}-${index}`);
      const good: Record<string, unknown> = { ...goodOf(kind, name) };
      const { metadata: own, ...content } = good;
      const {
        apiVersion: _v,
        kind: _k,
        metadata: _m,
        status: _s,
        ...properties
      } = schemaOf(kind).properties ?? {};
      const schema: Schema = { type: 'object', properties };
      const options = { numRuns: 1, seed: seed + index };
      const [fields] = fc.sample(mostlyLike(schema, content), options);
      const [meta] = fc.sample(metadataOf(fc.constant(name)), options);
      const { labels = {}, annotations = {} } = meta ?? {};
      const metadata = { ...Object(own), labels: { ...labels, name }, annotations };
      return { ...content, ...bounded(fields), metadata };
    });
  }

  /** Returns those that the API server took. */
  async function createAll(kind: MachineKind): Promise<KubeObject[]> {
    const taken: KubeObject[] = [];
    await Promise.all(
      drawOf(kind).map(async (manifest) => {
        try {
          taken.push(await cluster.create(kind, manifest));
        } catch (error) {
          // Anything but a refusal is a failure of the test.
          if (!(error instanceof KubeError) || ![400, 422].includes(error.code)) throw error;
        }
      }),
    );
    return taken;
  }

  async function silentOnes(): Promise<string[]> {
    const events = await cluster.list<EventObject>(namespaced('events', namespace));
    const told = new Set(events.map(({ involvedObject: of }) => `${of.kind}/${of.name}`));
    const silent: string[] = [];
    for (const kind of kinds.filter((one) => one !== 'machineclasses')) {
      for (const object of await cluster.list<Fuzzed>(cluster.pathOf(kind))) {
        const name = `${object.kind}/${object.metadata.name}`;
        if (!told.has(name) && !saysSomething(object)) silent.push(name);
      }
    }
    return silent;
  }

  test('are followed or say why not, beside a good machine, and disturb no workflow', async () => {
    const taken = new Map<MachineKind, KubeObject[]>();
    for (const kind of kinds) taken.set(kind, await createAll(kind));
    const counts = [...taken].map(([kind, objects]) => `${objects.length} ${kind}`);
    expect({ counts, isEnough: [...taken.values()].every(({ length }) => length >= 2) }).toEqual({
      counts,
      isEnough: true,
    });
    const good = await createMachine(scenario, 'good', longestTimes);
    const lost = await createMachine(scenario, 'lost', {
      ...longestTimes,
      class: { kind: 'MachineClass', name: '機'.repeat(1_000) },
    });
    await untilPhase(scenario, good, 'Running');
    await eventually('a name that is too long for Temporal is said in full', async () => {
      const { status } = await cluster.machine(lost);
      expect(status?.lastOperation?.description).toMatch(/MachineClass "機{1000}" does not exist/);
    });
    await eventually('each object says what is the matter with it', async () => {
      expect(await silentOnes()).toEqual([]);
    });
    expect(await workflows.troubles()).toEqual([]);
    for (const kind of kinds.toReversed()) {
      for (const { metadata } of taken.get(kind) ?? []) {
        await cluster.delete(cluster.pathOf(kind, metadata.name));
      }
    }
    for (const name of [good, lost]) await cluster.delete(cluster.pathOf('machines', name));
    await eventually('all of them are gone', async () => {
      const left = await Promise.all(
        kinds.map((kind) => cluster.list<KubeObject>(cluster.pathOf(kind))),
      );
      const names = left.flat().map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      expect(names).toEqual(['MachineClass/small']);
    });
    expect(await workflows.troubles()).toEqual([]);
    expect([operator.startsOf('watcher'), operator.startsOf('worker')]).toEqual([1, 1]);
  });
});

/** The set that such a deployment could make. */
function setOf(deployment: object): object {
  const { spec, ...rest }: { spec?: Record<string, unknown> } = deployment;
  const { replicas, selector, template } = spec ?? {};
  return { ...rest, kind: 'MachineSet', spec: { replicas, selector, template } };
}

function bounded(content: unknown): object {
  if (!isRecord(content)) return {};
  if (!isRecord(content['spec'])) return content;
  // Whoever says that there is an instance waits for the class that can delete it.
  const { providerID: _none, replicas, ...spec } = content['spec'];
  if (typeof replicas !== 'number') return { ...content, spec };
  return { ...content, spec: { ...spec, replicas: Math.min(replicas, mostReplicas) } };
}

function saysSomething(object: Fuzzed): boolean {
  if (object.kind === 'Machine') return hasWords(object);
  const { metadata, spec, status = {} } = object;
  const conditions = status.conditions ?? status.machineSetCondition ?? [];
  const isSeen = status.observedGeneration === metadata.generation;
  return conditions.length > 0 || (isSeen && (spec?.replicas ?? 0) >= 0);
}

function hasWords({ status }: Fuzzed): boolean {
  const words = [status?.currentStatus?.phase, status?.lastOperation?.description];
  return words.some((text) => text !== undefined && text !== '');
}
