/** Passes over a MachineDeployment of theirs, until nothing is left to write. */
import { isHeldByUs } from '../../kube/leases/observed-lease.ts';
import type { ObservedLease } from '../../kube/leases/observed-lease.ts';
import { readLease } from '../../kube/leases/read-lease.ts';
import type { EventText } from '../../kube/objects/event.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { timestamp } from '../../kube/objects/time.ts';
import {
  front,
  kubermaticApiVersion,
  kubermaticLabels,
} from '../../workflows/api/kubermatic-names.ts';
import type { KubermaticMachineTemplate } from '../../workflows/api/kubermatic.ts';
import type { PassInput, SyncOutcome } from '../../workflows/contracts/front-activities.ts';
import {
  classNameOf,
  isDeleting,
  isMirror,
  type PoolFacts,
  type PoolTemplate,
} from '../../workflows/plan/front/facts.ts';
import {
  isSameTemplate,
  nameOfTemplate,
  templateName,
  withoutHash,
  type NamedTemplate,
} from '../../workflows/plan/front/names.ts';
import { planPool } from '../../workflows/plan/front/plan.ts';
import { someOf } from '../../workflows/plan/front/status.ts';
import { parsedJson } from '../../workflows/values/parsed-json.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { applyPlan } from './apply.ts';
import type { FrontDependencies } from './dependencies.ts';
import { findInstances } from './find-instances.ts';
import { readBothSides, readNodes, type BothSides } from './read.ts';
import { TemplateMaker } from './template.ts';

/** A hand-back needs five. */
const mostPasses = 10;

export async function syncPool(
  dependencies: FrontDependencies,
  observed: ObservedLease,
  { ref, readsNodes = false }: PassInput,
): Promise<SyncOutcome> {
  const { control, target } = dependencies;
  const { namespace } = ref;
  let writes = 0;
  let reason = '';
  let last: Pick<SyncOutcome, 'uid' | 'machines'> = { machines: 0 };
  for (let passes = 0; passes < mostPasses; passes += 1) {
    const sides = await readBothSides(control, ref);
    if (!sides) return { state: 'gone', writes, machines: 0 };
    const facts = await factsOf(dependencies, observed, { ...sides, readsNodes });
    const plan = planPool(facts);
    const applied = await applyPlan({ control, target, namespace }, plan.groups);
    writes += applied.writes;
    const { metadata } = sides.theirs.deployment;
    last = { uid: metadata.uid, machines: sides.ours.machines.length };
    if (applied.refusals.length > 0) {
      reason = someOf(applied.refusals);
      recordEvent(control, { ...theirKind, ...ref, uid: metadata.uid }, refused(reason));
      return { ...last, state: 'waits', reason, writes };
    }
    if (applied.stale === undefined && !plan.goesOn) {
      const said = plan.reason === undefined ? {} : { reason: plan.reason };
      return { ...last, state: plan.state, ...said, writes };
    }
    reason = applied.stale ? `objects change meanwhile: ${applied.stale}` : 'more is left to write';
  }
  return { ...last, state: 'waits', reason, writes };
}

const theirKind = { apiVersion: kubermaticApiVersion, kind: 'MachineDeployment' } as const;

/** The conditions say what is wanted, not that the API server would not have it. */
const refused = (message: string): EventText => ({
  type: 'Warning',
  reason: 'WriteRefused',
  message,
  component: 'millwright-front',
});

async function factsOf(
  dependencies: FrontDependencies,
  observed: ObservedLease,
  { readsNodes, ...sides }: BothSides & { readsNodes: boolean },
): Promise<PoolFacts> {
  const { deployment } = sides.theirs;
  const named = namedTemplates(sides);
  const current = nameOfTemplate(deployment.metadata.name, deployment.spec.template, named);
  const all = named.some(({ name }) => name === current)
    ? named
    : [...named, { name: current, written: withoutHash(deployment.spec.template) }];
  const maker = new TemplateMaker(dependencies, deployment);
  const templates = new Map<string, PoolTemplate>();
  for (const one of all) templates.set(one.name, await maker.make(one));
  return {
    ...sides,
    templates,
    current,
    nodes: await readNodes(dependencies.target, sides, readsNodes),
    providerIDs: await findInstances(dependencies.target, sides, templates),
    leaseHolder: await holderOf(dependencies, observed, sides),
    now: timestamp(),
  };
}

/** Those of our Secrets; and those of sets that are not ours yet, by the hash that they have. */
function namedTemplates({ theirs, ours }: BothSides): NamedTemplate[] {
  const named: NamedTemplate[] = ours.secrets.flatMap(({ metadata, data }) => {
    const written = templateIn(data?.[front.templateKey]);
    return written ? [{ name: metadata.name, written }] : [];
  });
  const owned = new Map(ours.sets.map((set) => [set.metadata.name, classNameOf(set)]));
  for (const { metadata, spec } of theirs.sets) {
    const { template } = spec;
    if (!template || named.some(({ written }) => isSameTemplate(written, template))) continue;
    const hash = metadata.labels?.[kubermaticLabels.templateHash] ?? metadata.name;
    const name = owned.get(metadata.name) ?? templateName(theirs.deployment.metadata.name, hash);
    if (!named.some((one) => one.name === name))
      named.push({ name, written: withoutHash(template) });
  }
  return named;
}

/** Undefined where a person wrote something else there: it is written anew. */
function templateIn(encoded: string | undefined): KubermaticMachineTemplate | undefined {
  if (encoded === undefined) return undefined;
  const parsed = parsedJson(Buffer.from(encoded, 'base64').toString('utf8'));
  return isTemplate(parsed) ? parsed : undefined;
}

function isTemplate(value: unknown): value is KubermaticMachineTemplate {
  return isRecord(value) && isRecord(value['spec']);
}

/** Asked only before something new is served. */
async function holderOf(
  { control, settings }: FrontDependencies,
  observed: ObservedLease,
  { theirs }: BothSides,
): Promise<string | undefined> {
  if (isMirror(theirs.deployment) || isDeleting(theirs.deployment)) return undefined;
  const lease = await readLease(control, settings.machineControllerLease);
  observed.see(isHeldByUs(lease) ? undefined : lease);
  return observed.foreignHolder();
}
