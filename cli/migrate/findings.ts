/** Evaluates the facts before a take-over. */
import { labels } from '../../workflows/api/constants.ts';
import { isBuiltIn } from '../../activities/drivers/providers.ts';
import { specFaultsOf } from '../../activities/drivers/spec-faults.ts';
import { faultsOf as faultsOfDeployment } from '../../activities/machine-deployment/facts.ts';
import { inPlaceReasonOf } from '../../workflows/api/in-place.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import {
  machineClassFaults,
  machineFaults,
  machineSetFaults,
} from '../../workflows/api/validation.ts';
import { componentOf, type Translation } from './flags.ts';
import { containersOf, hasReplicasBefore, wantedOf } from '../install/deployments.ts';
import type { Facts } from './facts.ts';
import { listOf } from '../terminal/screen.ts';
import { hinders, note, ok, type MigrateResult } from './result.ts';

const mostNames = 5;

interface CheckedFacts {
  facts: Facts;
  translation: Translation;
  externalProviders: readonly string[];
}

export function findingsOf(checked: CheckedFacts): MigrateResult[] {
  const { facts } = checked;
  return [
    kubernetesOf(facts),
    ...apiOf(facts),
    ...mcmOf(facts),
    ...policyOf(facts),
    ...flagsOf(checked.translation),
    ...leasesOf(facts),
    ...millwrightOf(facts),
    ...featuresOf(checked),
    ...objectsOf(facts),
    ...progressOf(facts),
    ...rightsOf(facts),
  ];
}

const oldestMinor = 30;

function kubernetesOf({ kubernetes }: Facts): MigrateResult {
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(kubernetes) ?? [];
  const isNewEnough = Number(major) > 1 || Number(minor) >= oldestMinor;
  if (isNewEnough) return ok('kubernetes', kubernetes);
  return hinders('kubernetes', `${kubernetes}; Millwright needs 1.${oldestMinor} or newer`);
}

const neededResources = [
  'machines',
  'machines/status',
  'machinesets',
  'machinesets/status',
  'machinesets/scale',
  'machinedeployments',
  'machinedeployments/status',
  'machinedeployments/scale',
  'machineclasses',
];

function apiOf({ served }: Facts): MigrateResult[] {
  const missing = neededResources.filter((name) => !served.includes(name));
  if (missing.length === 0)
    return [ok('api', 'machine.sapcloud.io/v1alpha1 has all that is needed')];
  const what = `machine.sapcloud.io/v1alpha1 has no ${missing.join(', ')}`;
  const help = 'kubectl apply --server-side -f deploy/crds';
  if (served.length === 0) return [note('api', `no CRDs: the chart installs them, or ${help}`)];
  return [hinders('api', `${what}: its CRDs are older than MCM v0.62.1; ${help}`)];
}

/** The releases whose recordings and tests stand behind compatibility.md. */
const comparedMinor = 62;

function mcmOf({ mcm }: Facts): MigrateResult[] {
  if (mcm.length === 0) return [ok('mcm', 'there is none')];
  return mcm.map((deployment) => {
    const { name } = deployment.metadata;
    const manager = containersOf(deployment).find((one) => componentOf(one) === 'watcher');
    const image = manager?.image ?? '';
    const text = `Deployment ${name}, replicas ${wantedOf(deployment)}, image ${image || 'unknown'}`;
    const [, minor] = /:v?0\.(\d+)\./.exec(image) ?? [];
    if (minor === undefined) return note('mcm', `${text}: its version is not known`);
    if (Number(minor) === comparedMinor) return ok('mcm', text);
    return note('mcm', `${text}: Millwright was compared with v0.${comparedMinor}`);
  });
}

/** Where MCM is at work it makes instances that no Machine names. */
function policyOf({ policy, mcm }: Facts): MigrateResult[] {
  if (policy === undefined) return [];
  return [mcm.some((one) => wantedOf(one) > 0) ? hinders('mcm', policy) : note('mcm', policy)];
}

function flagsOf({ faults, withoutEffect, isWithoutLease }: Translation): MigrateResult[] {
  const withoutLease = hinders(
    'flags',
    '--leader-elect=false: MCM acts without its Lease, so nothing keeps both from acting at once; remove the flag first',
  );
  const findings = [
    ...(isWithoutLease ? [withoutLease] : []),
    ...faults.map((fault) => hinders('flags', fault)),
    ...withoutEffect.map((text) => note('flags', `no effect: ${text}`)),
  ];
  return findings.length > 0 ? findings : [ok('flags', 'all are known')];
}

function leasesOf({ holders, mcm }: Facts): MigrateResult[] {
  const { millwright, ...ofMcm } = holders;
  const ofOthers = Object.entries(ofMcm).filter(([, by]) => by !== undefined && by !== millwright);
  const inWords = ofOthers.map(([name, by]) => `${name} is held by ${by}`).join(', ');
  if (ofOthers.length > 0 && millwright !== undefined) {
    return [
      hinders('leases', `both are at work: millwright is held by ${millwright}, and ${inWords}`),
    ];
  }
  const scaled = mcm.filter(hasReplicasBefore);
  const isOfScaled = ofOthers.every(([, by]) =>
    scaled.some(({ metadata }) => by?.startsWith(`${metadata.name}-`)),
  );
  const isUnknown = ofOthers.length > 0 && mcm.every((one) => wantedOf(one) === 0) && !isOfScaled;
  if (isUnknown) {
    return [
      hinders('leases', `${inWords}, by none of the Deployments above; name it: --mcm-deployment`),
    ];
  }
  if (ofOthers.length > 0) return [ok('leases', inWords)];
  return [ok('leases', millwright ? `all are held by ${millwright}` : 'all are free')];
}

function millwrightOf({ ours, mcm, holders }: Facts): MigrateResult[] {
  if (ours.length === 0) {
    return [note('millwright', 'not installed here: install it beside MCM before the take-over')];
  }
  return ours.map((deployment) => {
    const { metadata, status } = deployment;
    const text = `Deployment ${metadata.name}, ${status?.availableReplicas ?? 0} of ${wantedOf(deployment)} ready`;
    const isReady = wantedOf(deployment) === 0 || (status?.availableReplicas ?? 0) > 0;
    // No controller manages the machines: it cannot get worse.
    const isAlone = mcm.length === 0 || holders.millwright !== undefined;
    if (isReady || isAlone) return ok('millwright', text);
    return hinders('millwright', `${text}: its log and /readyz say why`);
  });
}

function featuresOf({ facts, externalProviders }: CheckedFacts): MigrateResult[] {
  const findings = facts.classes.flatMap((one) =>
    classFindings(one, facts.namespace, externalProviders),
  );
  return findings.length > 0 ? findings : [ok('features', 'all that are in use are served')];
}

function classFindings(
  { metadata, provider = '', secretRef, credentialsSecretRef }: MachineClass,
  namespace: string,
  external: readonly string[],
): MigrateResult[] {
  const { name } = metadata;
  const isServed = isBuiltIn(provider) || external.includes(provider);
  const elsewhere = [secretRef, credentialsSecretRef].filter(
    (ref) => ref?.namespace !== undefined && ref.namespace !== namespace,
  );
  return [
    ...(isServed
      ? []
      : [
          hinders(
            'features',
            `MachineClass ${name}: no driver of provider "${provider}" is built in; where one of your own runs, --external-provider ${provider || 'NAME'}`,
          ),
        ]),
    ...elsewhere.map((ref) =>
      hinders(
        'features',
        `MachineClass ${name}: Secret ${ref?.namespace}/${ref?.name} is in another namespace`,
      ),
    ),
  ];
}

const nameOf = ({ metadata }: { metadata: { name: string } }): string => metadata.name;

/**
 * MCM ignores such objects and reports nothing; Millwright reports them in their status. Of a class
 * MCM's driver may take what ours does not.
 */
function objectsOf({ classes, deployments, sets, machines }: Facts): MigrateResult[] {
  const broken = [
    ...classes.map((one) => [`MachineClass ${nameOf(one)}`, faultsOfClass(one)] as const),
    ...deployments.map(
      (one) => [`MachineDeployment ${nameOf(one)}`, faultsOfDeployment(one)] as const,
    ),
    ...sets.map((one) => [`MachineSet ${nameOf(one)}`, machineSetFaults(one)] as const),
    ...machines.map((one) => [`Machine ${nameOf(one)}`, machineFaults(one)] as const),
  ].filter(([, faults]) => faults.length > 0);
  const counts = `${deployments.length} MachineDeployments, ${sets.length} MachineSets, ${machines.length} Machines, ${classes.length} MachineClasses`;
  return [
    ok('objects', counts),
    ...broken.map(([name, faults]) => note('objects', `${name} is invalid: ${faults.join('; ')}`)),
  ];
}

function faultsOfClass(machineClass: MachineClass): string[] {
  const { provider = '', providerSpec } = machineClass;
  return [...machineClassFaults(machineClass), ...specFaultsOf(provider, providerSpec)];
}

/** A take-over may come in the middle of all of these: it goes on with them. */
function progressOf({ machines, sets, deployments }: Facts): MigrateResult[] {
  const frozen = [...sets, ...deployments].filter(
    ({ metadata }) => metadata.labels?.[labels.freeze] === 'True',
  );
  const found = [
    ['being created', machines.filter(isBeingCreated)],
    ['refused by the cloud so far', machines.filter(isRefused)],
    ['updated in place', machines.filter(isUpdatedInPlace)],
    ['being deleted', machines.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)],
    ['frozen', frozen],
  ] as const;
  const busy = found.filter(([, objects]) => objects.length > 0);
  if (busy.length === 0) return [ok('progress', 'nothing is under way')];
  return busy.map(([words, objects]) =>
    note('progress', `${words}: ${listOf(objects.map(nameOf).toSorted(), mostNames)}`),
  );
}

const isBeingCreated = ({ metadata, status }: Machine): boolean =>
  metadata.deletionTimestamp === undefined &&
  ['', 'Pending'].includes(status?.currentStatus?.phase ?? '');

const isRefused = ({ metadata, spec, status }: Machine): boolean =>
  metadata.deletionTimestamp === undefined &&
  spec?.providerID === undefined &&
  ['CrashLoopBackOff', 'Failed'].includes(status?.currentStatus?.phase ?? '');

/** Selected, and not yet done. One that only waits to be selected is not touched. */
function isUpdatedInPlace({ status }: Machine): boolean {
  const { phase = '' } = status?.currentStatus ?? {};
  const reason = inPlaceReasonOf(status?.conditions) ?? 'CandidateForUpdate';
  return (
    phase.startsWith('InPlaceUpdat') || !['CandidateForUpdate', 'UpdateSuccessful'].includes(reason)
  );
}

export function rightsOf({
  missingRights,
  unread,
}: Pick<Facts, 'missingRights' | 'unread'>): MigrateResult[] {
  const findings = [
    ...missingRights.map((right) => hinders('rights', `you may not ${right}`)),
    ...unread.map((what) =>
      hinders('rights', `${what} could not be read: nothing above is of them`),
    ),
  ];
  return findings.length > 0 ? findings : [ok('rights', 'you may do all that the commands do')];
}
