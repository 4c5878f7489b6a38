/** Reviews a request once: read what it names, decide, and approve it or say why not. */
import { labels } from '../../workflows/api/constants.ts';
import type { Machine, NodeAddress } from '../../workflows/api/machine.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { readNode } from '../../kube/objects/nodes.ts';
import { timestamp } from '../../kube/objects/time.ts';
import { DriverError } from '../drivers/driver.ts';
import { isDeleting, readMachine } from '../machine/object.ts';
import type { MachineLists } from '../runtime/dependencies.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { RequestSpec } from './decision.ts';
import type { AskedNames } from './request.ts';
import { faultOfAddresses, faultOfOwner, faultOfSubject, requesterOf } from './decision.ts';

export interface CertificateSigningRequest extends KubeObject {
  spec: RequestSpec;
  status?: { certificate?: string; conditions?: { type: string }[] };
}

export const requestsPath = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** A namespace whose Machines have their Nodes in the target cluster. */
export interface ServedMachines {
  namespace: string;
  control: KubeClient;
  machines: MachineLists;
  /** A watcher leads, and there is no stop. */
  mayAct(): boolean;
  /** What the cloud says now; undefined where this process cannot ask it. Throws a DriverError. */
  askCloud(machine: Machine): Promise<readonly NodeAddress[] | undefined>;
}

export type ReviewOutcome =
  | { result: 'approved'; machine: Machine }
  /** Others have decided, or it is gone. */
  | { result: 'over' }
  /** Nothing may be done now. */
  | { result: 'held' }
  | {
      result: 'leftAlone';
      reason: string;
      /** The one that it is about. */
      machine?: Machine;
      /** It lies in the request, which cannot change. */
      isFinal: boolean;
    };

/** It is neither approved nor denied, and nothing was signed. */
export function isOpen({
  status: { conditions = [], certificate } = {},
}: CertificateSigningRequest): boolean {
  return conditions.length === 0 && !certificate;
}

export interface ReviewParts {
  target: KubeClient;
  served: readonly ServedMachines[];
}

/** Throws a KubeError; it can then be called again. */
export async function review(
  { target, served }: ReviewParts,
  { name, uid }: { name: string; uid: string },
): Promise<ReviewOutcome> {
  const found = await ignoreNotFound(
    target.get<CertificateSigningRequest>(`${requestsPath}/${name}`),
  );
  if (found?.metadata.uid !== uid || !isOpen(found)) return { result: 'over' };
  const form = await formOf(found.spec);
  if ('fault' in form) return { result: 'leftAlone', reason: form.fault, isFinal: true };
  const { nodeName, asked } = form;
  const owner = await ownerOf({ target, served }, nodeName);
  if ('reason' in owner) return { result: 'leftAlone', isFinal: false, ...owner };
  const { machine, by } = owner;
  if (!by.mayAct()) return { result: 'held' };
  const machineName = machine.metadata.name;
  const faultBy = (addresses: readonly NodeAddress[]): string | undefined =>
    faultOfAddresses(asked, { nodeName, machineName, addresses });
  // Addresses come and go after the create; its answer costs no call.
  const reason =
    faultBy(machine.status?.addresses ?? []) && (await faultByCloud(by, machine, faultBy));
  if (reason !== undefined) return { result: 'leftAlone', isFinal: false, reason, machine };
  await approve(
    target,
    found,
    `Node ${nodeName} is that of Machine ${by.namespace}/${machineName}`,
  );
  return { result: 'approved', machine };
}

async function formOf(
  spec: RequestSpec,
): Promise<{ nodeName: string; asked: AskedNames } | { fault: string }> {
  const requester = requesterOf(spec);
  if ('fault' in requester) return requester;
  // Its parser takes some 15 MiB of a process that has requests to read.
  const { readRequest } = await import('./request.ts');
  const reading = readRequest(spec.request);
  if ('fault' in reading) return reading;
  const fault = faultOfSubject(reading.asked, requester.nodeName);
  return fault === undefined ? { ...requester, ...reading } : { fault };
}

type OwnerReading =
  { machine: Machine; by: ServedMachines } | { reason: string; machine?: Machine };

async function ownerOf({ target, served }: ReviewParts, nodeName: string): Promise<OwnerReading> {
  const found: { machine: Machine; by: ServedMachines }[] = [];
  await inParallel(served, width, async (by) => {
    const selector = { matchLabels: { [labels.node]: nodeName } };
    for (const { metadata } of await by.machines.select(by.namespace, selector)) {
      const machine = await readMachine(by.control, {
        namespace: by.namespace,
        name: metadata.name,
      });
      if (machine?.metadata.labels?.[labels.node] === nodeName) found.push({ machine, by });
    }
  });
  const [only] = found;
  const machines = found.map(({ machine, by: { namespace } }) => ({
    namespace,
    name: machine.metadata.name,
    providerID: machine.spec.providerID,
    isDeleting: isDeleting(machine),
  }));
  const node = only && (await readNode(target, nodeName));
  const reason = faultOfOwner(nodeName, {
    machines,
    node: node && { providerID: node.spec?.providerID },
  });
  if (reason !== undefined) return { reason, ...(only && { machine: only.machine }) };
  // Without a Machine there is a reason.
  return only ?? { reason: '' };
}

/** Namespaces that are searched at a time. */
const width = 10;

async function faultByCloud(
  by: ServedMachines,
  machine: Machine,
  faultBy: (addresses: readonly NodeAddress[]) => string | undefined,
): Promise<string | undefined> {
  try {
    return faultBy((await by.askCloud(machine)) ?? machine.status?.addresses ?? []);
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return `the cloud was asked for the addresses of Machine ${machine.metadata.name}: ${error.code}: ${error.message}`;
  }
}

/** What was read is the precondition: throws a conflict where another one has decided. */
async function approve(
  target: KubeClient,
  found: CertificateSigningRequest,
  message: string,
): Promise<void> {
  const approved = {
    type: 'Approved',
    status: 'True',
    reason: 'ApprovedByMillwright',
    message: `${message}, and the cloud reported these addresses`,
    lastUpdateTime: timestamp(),
  };
  const status = { ...found.status, conditions: [approved] };
  await target.update(`${requestsPath}/${found.metadata.name}/approval`, { ...found, status });
}
