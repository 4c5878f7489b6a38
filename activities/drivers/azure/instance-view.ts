/** What a virtual machine says of itself, beside its provisioning state. */
import { ofAzure } from './error-mapping.ts';
import { call, type Session } from './session.ts';

export interface VmState {
  /** It may although its provisioning failed, as when its agent was late. */
  isRunning: boolean;
  /** Why its provisioning failed. */
  failure?: { code: string; message: string };
}

const failedPattern = /^ProvisioningState\/failed\/(.+)$/i;

/**
 * Read along with the virtual machine: the request of its own needs the action `instanceView/read`,
 * which roles that were made for Gardener's driver do not have.
 */
export async function viewOf(session: Session, name: string): Promise<VmState> {
  const { clients, place } = session;
  const doing = `get the state of virtual machine ${name}`;
  const { instanceView } = await call(session, doing, async (options) => {
    const expanded = { ...options, expand: 'instanceView' } as const;
    const { virtualMachines } = clients.compute;
    return ofAzure(await virtualMachines.get(place.resourceGroup, name, expanded), doing);
  });
  const { statuses = [] } = instanceView ?? {};
  const codes = statuses.map(({ code }) => code);
  const failures = statuses.flatMap(({ code, message }) => {
    const [, reason] = failedPattern.exec(code ?? '') ?? [];
    return reason === undefined ? [] : [{ code: reason, message: message ?? '' }];
  });
  const [failure] = failures;
  return {
    isRunning: codes.includes('PowerState/running') || codes.includes('PowerState/starting'),
    ...(failure && { failure }),
  };
}
