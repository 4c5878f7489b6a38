/**
 * One line in the log for what a driver did to a VM, and one Event for each that it has deleted.
 */
import { apiVersion, eventComponents } from '../../workflows/api/constants.ts';
import type { DriverRequest } from '../../workflows/contracts/driver-contract.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import type { AnsweredRequest } from '../system/cloud-requests.ts';
import { currentRun, type Audit, type InstanceVerb } from './audit.ts';

interface AuditDependencies {
  control: KubeClient;
  audit: Audit;
}

type OfMachine = Pick<DriverRequest, 'machine' | 'providerID'> & { nodeName?: string };

export function auditInstance(
  audit: Audit,
  verb: InstanceVerb,
  { machine, providerID, nodeName, ...asked }: OfMachine & AnsweredRequest,
): void {
  const { namespace, name, uid } = machine;
  const object = `Machine ${namespace}/${name}`;
  audit({ verb, object, uid, ...defined({ providerID, nodeName, ...asked }), ...currentRun() });
}

/** The Event is of the Machine. MCM has none that says this. */
export function auditDeletion(
  { control, audit }: AuditDependencies,
  deleted: OfMachine & AnsweredRequest,
): void {
  const { machine, providerID } = deleted;
  const { namespace, name, uid } = machine;
  const run = currentRun();
  auditInstance(audit, 'deleteInstance', deleted);
  const what = providerID ?? 'without a recorded providerID';
  recordEvent(
    control,
    { apiVersion, kind: 'Machine', namespace, name, uid },
    {
      type: 'Normal',
      reason: 'InstanceDeleted',
      message: `Instance ${what} was deleted${run ? ` (run ${run.runId})` : ''}`,
      component: eventComponents.machine,
    },
  );
}

/** No Machine has it: the Event is of the class that it was found with. */
export function auditListedDeletion(
  { control, audit }: AuditDependencies,
  {
    namespace,
    providerID,
    className,
    ...asked
  }: { namespace: string; providerID: string; className: string } & AnsweredRequest,
): void {
  const run = currentRun();
  const object = `MachineClass ${namespace}/${className}`;
  audit({ verb: 'deleteInstance', object, providerID, ...defined(asked), ...run });
  recordEvent(
    control,
    { apiVersion, kind: 'MachineClass', namespace, name: className, uid: '' },
    {
      type: 'Normal',
      reason: 'InstanceDeleted',
      message: `Instance ${providerID}, which no Machine has, was deleted${run ? ` (run ${run.runId})` : ''}`,
      component: eventComponents.machine,
    },
  );
}
