/**
 * Plays the parts of KubeVirt, CDI and the garbage collector that a driver sees: phases, finalizer,
 * DataVolumes, and what goes with its owner. It takes a step when it is told to.
 */
import type { KubeClient, KubeObject, OwnerReference } from '../../../kube/client/client.ts';

export interface VirtualMachine extends KubeObject {
  spec: {
    runStrategy?: string;
    template: { spec: { volumes?: Volume[] } };
    dataVolumeTemplates?: { metadata: { name: string; labels?: object }; spec: object }[];
  };
  status?: { printableStatus?: string; conditions?: Condition[] };
}

interface Volume {
  cloudInitNoCloud?: { secretRef?: { name: string } };
}

interface Condition {
  type: string;
  status: 'True' | 'False';
  message: string;
  lastTransitionTime: null;
}

/** What becomes of a VirtualMachine; the last stays. */
export type Course = readonly { status: string; message?: string }[];

const startsWell: Course = [
  { status: 'Provisioning' },
  { status: 'Starting' },
  { status: 'Running' },
];

const finalizer = 'kubevirt.io/virtualMachineControllerFinalize';

export interface HostController {
  /** By the name of a VirtualMachine. Default: the usual one. */
  courses: Map<string, Course>;
  /** Of all others. */
  usualCourse: Course;
  /** Names of VirtualMachines that KubeVirt does not let go of. */
  stuck: Set<string>;
  /** All that it has seen, by uid, with its name. */
  seen: Map<string, string>;
  step: () => Promise<void>;
}

export function hostController(client: KubeClient, namespace: string): HostController {
  const machines = `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`;
  const volumes = `/apis/cdi.kubevirt.io/v1beta1/namespaces/${namespace}/datavolumes`;
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  const courses = new Map<string, Course>();
  const stuck = new Set<string>();
  const seen = new Map<string, string>();

  async function advance(machine: VirtualMachine): Promise<void> {
    const { name, uid, finalizers = [] } = machine.metadata;
    seen.set(uid, name);
    const path = `${machines}/${name}`;
    if (machine.metadata.deletionTimestamp !== undefined) {
      if (!stuck.has(name)) await end(machine);
      return;
    }
    if (!finalizers.includes(finalizer)) {
      const metadata = { uid, finalizers: [...finalizers, finalizer] };
      await unlessLate(client.patch(path, 'merge', { metadata }));
      await makeVolumes(machine);
    }
    const course = courses.get(name) ?? controller.usualCourse;
    const at = course.findIndex(({ status }) => status === machine.status?.printableStatus);
    const next = course[Math.min(at + 1, course.length - 1)];
    // As KubeVirt does: without its user data no machine starts.
    if (!next || !(await hasUserData(machine))) return;
    const conditions: Condition[] = next.message
      ? [{ type: 'Ready', status: 'False', message: next.message, lastTransitionTime: null }]
      : [];
    const status = { printableStatus: next.status, conditions };
    await unlessLate(client.patch(`${path}/status`, 'merge', { status }));
  }

  async function hasUserData({ spec }: VirtualMachine): Promise<boolean> {
    const [name] = (spec.template.spec.volumes ?? []).flatMap(({ cloudInitNoCloud }) =>
      cloudInitNoCloud?.secretRef ? [cloudInitNoCloud.secretRef.name] : [],
    );
    return name === undefined || (await unlessLate(client.get(`${secrets}/${name}`))) !== undefined;
  }

  async function makeVolumes({ metadata, spec }: VirtualMachine): Promise<void> {
    const { name, uid } = metadata;
    const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid };
    const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
    for (const template of spec.dataVolumeTemplates ?? []) {
      const own = { ...template.metadata, ownerReferences };
      const body = {
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataVolume',
        metadata: own,
        spec: template.spec,
      };
      await unlessLate(client.create(volumes, body));
    }
  }

  /** Both finalizers: KubeVirt's own, and that of a deletion in the foreground. */
  async function end({ metadata: { name, uid } }: VirtualMachine): Promise<void> {
    for (const path of [volumes, secrets]) {
      const { items } = await client.list<KubeObject>(path);
      const owned = items.filter(({ metadata }) => isOwned(metadata.ownerReferences, uid));
      for (const { metadata } of owned) await unlessLate(client.delete(`${path}/${metadata.name}`));
    }
    const metadata = { uid, finalizers: null };
    await unlessLate(client.patch(`${machines}/${name}`, 'merge', { metadata }));
  }

  const controller: HostController = {
    courses,
    usualCourse: startsWell,
    stuck,
    seen,
    async step() {
      const { items } = await client.list<VirtualMachine>(machines);
      for (const machine of items) await advance(machine);
    },
  };
  return controller;
}

const isOwned = (owners: OwnerReference[] = [], uid: string | undefined): boolean =>
  owners.some((owner) => owner.uid === uid);

/** Undefined when somebody else was quicker. */
async function unlessLate<T>(call: Promise<T>): Promise<T | undefined> {
  return await call.catch((error: unknown) => {
    if ([404, 409, 422].includes(Object(error).code)) return undefined;
    throw error;
  });
}
