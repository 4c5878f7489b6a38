/** The writes and the cloud calls of a machine's life, without a check before them. */
import type { KubeClient } from '../../../kube/client/client.ts';
import { customResource, node } from '../../../kube/client/paths.ts';
import { recordEvent } from '../../../kube/objects/events.ts';
import type { VirtualCloudClient } from '../../../activities/drivers/virtual/client.ts';
import {
  apiVersion,
  eventComponents,
  finalizers,
  labels,
} from '../../../workflows/api/constants.ts';
import { plainInstance } from '../../support/virtual-instance.ts';
import { namespace } from '../pool.ts';

export interface BareMachine {
  name: string;
  uid: string;
}

export interface BareInstance {
  id: string;
}

export interface BareActivities {
  create(machine: BareMachine): Promise<BareInstance>;
  /** The Node, which has the name of the Machine, is Ready. */
  join(machine: BareMachine): Promise<void>;
  beginDeletion(machine: BareMachine): Promise<void>;
  /** Closes the Node, looks for pods, deletes instance and Node, and lets the Machine go. */
  remove(machine: BareMachine, instance: BareInstance): Promise<void>;
}

export function createBareActivities(kube: KubeClient, cloud: VirtualCloudClient): BareActivities {
  const { signal } = new AbortController();
  const setPhase = async (machine: BareMachine, phase: string): Promise<void> => {
    const lastUpdateTime = new Date().toISOString();
    const status = {
      currentStatus: { phase, lastUpdateTime },
      lastOperation: { description: `is ${phase} now`, state: 'Processing', lastUpdateTime },
    };
    await kube.patch(`${pathOf(machine)}/status`, 'merge', { status });
  };
  const report = (machine: BareMachine, reason: string): void => {
    const subject = { apiVersion, kind: 'Machine', namespace, ...machine };
    const message = `${reason}, says a program that decides nothing`;
    const component = eventComponents.machine;
    recordEvent(kube, subject, { type: 'Normal', reason, message, component });
  };
  return {
    async create(machine) {
      const { name, uid } = machine;
      const { instance } = await cloud.create(plainInstance({ name, token: uid }), signal);
      await kube.patch(pathOf(machine), 'merge', {
        metadata: { labels: { [labels.node]: name } },
        spec: { providerID: instance.providerID },
      });
      await setPhase(machine, 'Pending');
      report(machine, 'InstanceCreated');
      return { id: instance.id };
    },
    async join(machine) {
      const metadata = { finalizers: [finalizers.node], labels: { machine: machine.name } };
      await kube.patch(node(machine.name), 'strategic', { metadata });
      await setPhase(machine, 'Running');
      report(machine, 'Joined');
    },
    async beginDeletion(machine) {
      await setPhase(machine, 'Terminating');
      report(machine, 'Terminating');
    },
    async remove(machine, { id }) {
      const path = node(machine.name);
      await kube.patch(path, 'merge', {
        metadata: { finalizers: [] },
        spec: { unschedulable: true },
      });
      await kube.list('/api/v1/pods', { fieldSelector: `spec.nodeName=${machine.name}` });
      await cloud.delete(id, signal);
      await kube.delete(path);
      await kube.patch(pathOf(machine), 'merge', { metadata: { finalizers: [] } });
    },
  };
}

function pathOf({ name }: BareMachine): string {
  return customResource('machines', namespace, name);
}
