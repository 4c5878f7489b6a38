/** One line in the log and one Event for each VM that a driver has deleted. */
import { apiVersion, eventComponents } from '../../workflows/api/constants.ts';
import type { DriverRequest } from '../../workflows/contracts/driver-contract.ts';
import { defined } from '../../workflows/values/defined.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { recordEvent } from '../kube/objects/events.ts';
import { currentRun, type Audit } from './audit.ts';

interface Place {
  control: KubeClient;
  audit: Audit;
}

/** The Event is of the Machine. MCM has none that says this. */
export function auditDeletion(
  { control, audit }: Place,
  { machine, providerID }: Pick<DriverRequest, 'machine' | 'providerID'>,
): void {
  const { namespace, name, uid } = machine;
  const run = currentRun();
  const object = `Machine ${namespace}/${name}`;
  audit({ verb: 'deleteInstance', object, uid, ...defined({ providerID }), ...run });
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
  { control, audit }: Place,
  {
    namespace,
    providerID,
    className,
  }: { namespace: string; providerID: string; className: string },
): void {
  const run = currentRun();
  const object = `MachineClass ${namespace}/${className}`;
  audit({ verb: 'deleteInstance', object, providerID, ...run });
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
