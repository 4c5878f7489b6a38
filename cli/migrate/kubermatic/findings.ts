/** Evaluates the facts before a take-over from machine-controller. */
import {
  containersOf,
  isFront,
  isWatcher,
  wantedOf,
  type Deployment,
} from '../../install/deployments.ts';
import {
  front,
  kubermaticAnnotations,
  kubermaticLabels,
  kubermaticLease,
} from '../../../workflows/api/kubermatic-names.ts';
import type { KubermaticMachine } from '../../../workflows/api/kubermatic.ts';
import { listOf } from '../../terminal/screen.ts';
import { isDeleting, isMirror } from '../../../workflows/plan/front/facts.ts';
import { rightsOf } from '../findings.ts';
import { hinders, note, ok, type MigrateResult } from '../result.ts';
import type { Facts } from './facts.ts';
import { nameOf, ownedBy } from './objects.ts';
import { flagsOfProcess, type TheirPool } from './pools.ts';
import { webhooksFor, isOfController } from './webhooks.ts';

const mostNames = 5;

export function findingsOf(facts: Facts): MigrateResult[] {
  return [
    ...apiOf(facts),
    ...controllerOf(facts),
    ...leasesOf(facts),
    ...webhooksOf(facts),
    ...millwrightOf(facts),
    ...facts.pools.flatMap((pool) => poolFindings(facts, pool)),
    ...sharedInstances(facts),
    ...straysOf(facts),
    userDataOf(facts),
    ...facts.autoscalers.map(autoscalerOf),
    ...rightsOf(facts),
  ];
}

function apiOf({ crd }: Facts): MigrateResult[] {
  const help = 'kubectl apply --server-side -f deploy/crds-kubermatic';
  if (!crd)
    return [hinders('api', 'cluster.k8s.io/v1alpha1 is not served: there is nothing to take over')];
  const lacks = [
    ...(crd.hasScaleSelector ? [] : ['label selector for scale']),
    ...(crd.hasSchema ? [] : ['schema']),
  ];
  if (lacks.length === 0) return [ok('api', 'cluster.k8s.io/v1alpha1, with schema and scale')];
  const text = `the CRDs of cluster.k8s.io have no ${lacks.join(' and no ')}: ${help}`;
  return [note('api', text)];
}

function controllerOf(facts: Facts): MigrateResult[] {
  const { controller, controllerName, flags, elsewhere } = facts;
  const place = `${controllerName.namespace}/${controllerName.name}`;
  const image = controller && containersOf(controller)[0]?.image;
  return [
    controller
      ? ok(
          'controller',
          `Deployment ${place}, replicas ${wantedOf(controller)}, image ${image ?? 'unknown'}`,
        )
      : note(
          'controller',
          `there is no Deployment ${place}: scale machine-controller to 0 where it runs, or name it with --machine-controller`,
        ),
    ...(flags.isWithoutLease
      ? [
          hinders(
            'controller',
            '-enable-leader-election=false: it acts without its Lease, so nothing keeps both from acting at once; remove the flag first',
          ),
        ]
      : []),
    ...flags.unknown.map((name) =>
      note('controller', `flag -${name} is not known: find out what it does before`),
    ),
    ...shardOf(facts),
    ...elsewhere.ofController.map((other) =>
      note(
        'controller',
        `it acts in namespace ${other} as well, whose machines nothing manages after this until that is taken over too`,
      ),
    ),
  ];
}

const shardLabel = 'machine.k8s.io/controller';

/** Another machine-controller has those. */
function shardOf({ controller, flags, theirs }: Facts): MigrateResult[] {
  const others = theirs.machines.filter(
    (one) => !isMirror(one) && (one.metadata.labels?.[shardLabel] ?? '') !== flags.name,
  );
  if (!controller || others.length === 0) return [];
  const names = listOf(others.map(nameOf), mostNames);
  return [
    hinders(
      'controller',
      `its flag -name is "${flags.name}", and label ${shardLabel} of Machines ${names} says another: they are another controller's`,
    ),
  ];
}

function leasesOf({ holders, controller, flags: { lease }, pools }: Facts): MigrateResult[] {
  const name = `Lease ${lease.namespace}/${lease.name}`;
  if (holders.theirs === undefined) return [ok('leases', `no machine-controller holds ${name}`)];
  const text = `${name} is held by ${holders.theirs}`;
  if (!controller || wantedOf(controller) === 0) {
    return [
      hinders(
        'leases',
        `${text}, which is no pod of the Deployment above: wait until it has ended, or name its Deployment with --machine-controller`,
      ),
    ];
  }
  if (pools.some(({ deployment }) => isMirror(deployment))) {
    return [
      note(
        'leases',
        `${text}, and the front serves some MachineDeployments: take over again to end it`,
      ),
    ];
  }
  return [ok('leases', text)];
}

function webhooksOf({ webhooks, labels, namespace }: Facts): MigrateResult[] {
  return webhooks.flatMap((configuration) =>
    webhooksFor(configuration, labels).flatMap((one) => {
      const name = `${one.name} of ${nameOf(configuration)}`;
      if (isOfController(one))
        return [ok('webhooks', `${name}: a take-over excepts ${namespace} from it`)];
      if (one.failurePolicy === 'Ignore') return [];
      return [
        note(
          'webhooks',
          `${name} is asked about cluster.k8s.io too, and refuses writes while it does not answer`,
        ),
      ];
    }),
  );
}

function millwrightOf({ namespace, ours, flags: { lease }, holders }: Facts): MigrateResult[] {
  const fronts = ours.filter(isFront);
  const isInstalled = ours.some(isWatcher);
  const missing = [
    ...(isInstalled ? [] : ['Millwright']),
    ...(fronts.length > 0 ? [] : ['the front (value front.enabled)']),
  ];
  const wanted = `${lease.namespace}/${lease.name}`;
  const elsewhere = ours.filter((one) => !goesBy(one, wanted));
  return [
    ...missing.map((what) =>
      note(
        'millwright',
        `${what} is not installed for ${namespace}: install it before the take-over`,
      ),
    ),
    ...ours.map((one) => {
      const ready = one.status?.availableReplicas ?? 0;
      const text = `Deployment ${nameOf(one)}, ${ready} of ${wantedOf(one)} ready`;
      return ready > 0
        ? ok('millwright', text)
        : hinders('millwright', `${text}: its log and /readyz say why`);
    }),
    ...elsewhere.map((one) =>
      hinders(
        'millwright',
        `Deployment ${nameOf(one)} does not go by the Lease of machine-controller: its flag must be --machine-controller-lease=${wanted}`,
      ),
    ),
    ...Object.entries({ millwright: holders.millwright, 'millwright-front': holders.front }).map(
      ([name, by]) =>
        by === undefined
          ? note('leases', `no process leads with Lease ${name}`)
          : ok('leases', `Lease ${name} is held by ${by}`),
    ),
  ];
}

/** A watcher without the flag takes that Lease as one of MCM, where it serves its namespace. */
function goesBy(one: Deployment, wanted: string): boolean {
  if (!isFront(one) && !isWatcher(one)) return true;
  const component = isFront(one) ? 'front' : 'watcher';
  const flag = flagsOfProcess(component, [one])['machine-controller-lease'];
  const lease = flag || (isFront(one) ? kubermaticLease : undefined);
  return lease !== undefined && `${lease.namespace}/${lease.name}` === wanted;
}

function poolFindings(facts: Facts, pool: TheirPool): MigrateResult[] {
  const { deployment, sets, machines } = pool;
  const name = `MachineDeployment ${nameOf(deployment)}`;
  const size = `${machines.length} machines in ${sets.length} sets`;
  if ([deployment, ...sets, ...machines].every(isMirror))
    return [ok('pools', `${name}: the front serves it, ${size}`)];
  const faults = [
    ...pool.faults,
    ...takenNames(facts, pool),
    ...[deployment, ...sets]
      .filter(isDeleting)
      .map((one) => `${one.kind} ${nameOf(one)}: it is being deleted: wait until it is gone`),
    ...pool.instances.flatMap(({ machine, found }) => machineFaults(machine, found)),
  ];
  return [
    ...(faults.length === 0 ? [ok('pools', `${name}: ${size}`)] : []),
    ...faults.map((text) => hinders('pools', text)),
    ...pool.ignored.map((text) => note('pools', text)),
    ...machines.flatMap(machineNotes),
  ];
}

/** An object that is being deleted takes no finalizer any more. */
function machineFaults(
  machine: KubermaticMachine,
  found: TheirPool['instances'][number]['found'],
): string[] {
  const name = `Machine ${nameOf(machine)}`;
  if (isDeleting(machine)) return [`${name}: it is being deleted: wait until it is gone`];
  const initializers = machine.metadata.annotations?.[kubermaticAnnotations.initializers];
  return [
    ...('fault' in found ? [`${name}: ${found.fault}`] : []),
    ...(initializers
      ? [
          `${name}: it has annotation ${kubermaticAnnotations.initializers}: wait until that is gone`,
        ]
      : []),
  ];
}

function machineNotes({ metadata, status }: KubermaticMachine): MigrateResult[] {
  if (status?.errorReason === undefined) return [];
  return [
    note(
      'pools',
      `Machine ${metadata.name}: ${status.errorReason}, ${status.errorMessage ?? 'without a message'}; it goes when the cause has`,
    ),
  ];
}

function takenNames({ ownNames }: Facts, { deployment, sets, machines }: TheirPool): string[] {
  // In the middle of a take-over those are the front's.
  const isAsked = deployment.metadata.annotations?.[front.takeOver] === 'true';
  if (isAsked || isMirror(deployment)) return [];
  return [deployment, ...sets, ...machines]
    .map((one) => `${one.kind} ${nameOf(one)}`)
    .filter((name) => ownNames.has(name))
    .map((name) => `${name}: Millwright has one of this name: delete or rename it`);
}

/** machine-controller finds Nodes by addresses, which clouds use again. */
function sharedInstances({ pools }: Facts): MigrateResult[] {
  const byID = new Map<string, string[]>();
  for (const { machine, found } of pools.flatMap(({ instances }) => instances)) {
    if ('value' in found)
      byID.set(found.value, [...(byID.get(found.value) ?? []), nameOf(machine)]);
  }
  return [...byID]
    .filter(([, names]) => names.length > 1)
    .map(([id, names]) =>
      hinders(
        'pools',
        `Machines ${names.join(', ')} have one instance, ${id}: delete all but the one whose UID its Node has in label ${kubermaticLabels.ownedBy}`,
      ),
    );
}

function straysOf({ theirs: { deployments, sets, machines } }: Facts): MigrateResult[] {
  const owned = new Set([
    ...deployments.flatMap((one) => ownedBy(one, sets)),
    ...sets.flatMap((one) => ownedBy(one, machines)),
  ]);
  return [...sets, ...machines]
    .filter((one) => !owned.has(one))
    .map((one) =>
      note(
        'pools',
        `${one.kind} ${nameOf(one)} belongs to no MachineDeployment: nothing serves it, and a deletion of it waits until machine-controller runs again`,
      ),
    );
}

function userDataOf({ hasOsm }: Facts): MigrateResult {
  if (hasOsm) return ok('user-data', 'operating-system-manager goes on making it: keep it running');
  return note(
    'user-data',
    'there is no operating-system-manager: Millwright makes it (docs/user-data.md); machines that run keep theirs',
  );
}

function autoscalerOf(one: Deployment): MigrateResult {
  const env = containersOf(one).flatMap((container) => container.env ?? []);
  const isTold = env.some(({ name, value }) => name === 'CAPI_GROUP' && value === 'cluster.k8s.io');
  const words = containersOf(one).flatMap(({ command = [], args = [] }) => [...command, ...args]);
  const text = `Deployment ${nameOf(one)}`;
  if (!words.includes('--cloud-provider=clusterapi'))
    return note(
      'autoscaler',
      `${text} does not work with --cloud-provider=clusterapi: it does not scale these pools`,
    );
  if (isTold) return ok('autoscaler', `${text} has CAPI_GROUP=cluster.k8s.io: it stays as it is`);
  return note('autoscaler', `${text} has no CAPI_GROUP=cluster.k8s.io: it scales other objects`);
}
