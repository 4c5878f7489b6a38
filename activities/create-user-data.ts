/**
 * The user data of one create: of the class's Secret with its places filled, or rendered. They hold
 * credentials: they go to the driver, and nowhere else.
 */
import type { DriverRequest } from '../workflows/contracts/driver-contract.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { ignoreNotFound } from '../kube/client/ignore.ts';
import { isRefusal } from '../kube/client/errors.ts';
import { DriverError } from './drivers/driver.ts';
import { readBootstrapToken, tokenIdOf, type BootstrapToken } from './machine/bootstrap-token.ts';
import { userDataIn, type ClassWithSecret } from './machine-class/reader.ts';
import { fillUserData, type UserData } from './machine-class/user-data.ts';
import { readCloudConfig } from './user-data/cloud-config.ts';
import type { ClassUserData } from './user-data/class-user-data.ts';
import { renderedUserData, type MadeUserData } from './user-data/rendered.ts';

interface Clusters {
  control: KubeClient;
  target?: KubeClient;
}

/** `hidden` and `origin`: absent of what the class's Secret has. */
export type CreateUserData = Pick<MadeUserData, 'origin'> &
  Partial<Pick<MadeUserData, 'hidden'>> & { userData: UserData };

/** Only a create needs them: the token is gone once the machine ran. */
export async function userDataOf(
  { control, target }: Clusters,
  request: DriverRequest,
  resolved: ClassWithSecret,
): Promise<CreateUserData> {
  const { machine, providerID } = request;
  const machineName = machine.name;
  const token = await tokenOf(target, request);
  // A machine that has its instance has no token any more, and nothing is made.
  if (resolved.userData && providerID !== undefined) return { userData: '' };
  const asked = await resolved.userData?.();
  if (!asked) {
    const places = token === undefined ? { machineName } : { machineName, bootstrapToken: token };
    return { userData: fillUserData(userDataIn(resolved) ?? '', places) };
  }
  if (asked.input && token === undefined) {
    // The class asks for them only since its machine was read: the next attempt makes one.
    throw unavailable('the machine has no bootstrap token yet, and its user data need one');
  }
  const made = await makeUserData(control, request, { asked, token });
  if ('waits' in made) throw unavailable(made.waits);
  if ('fault' in made) throw refusal(made.fault);
  return made;
}

type Made = MadeUserData | { waits: string } | { fault: string };

/** Of a class that asks. `waits` and `fault`: why there are none. */
async function makeUserData(
  control: KubeClient,
  { machine, provider }: Pick<DriverRequest, 'machine' | 'provider'>,
  { asked, token = '' }: { asked: ClassUserData; token: string | undefined },
): Promise<Made> {
  const { input, secrets, faults, cloudConfigSecret: name } = asked;
  if (input) {
    return renderedUserData(input, { machineName: machine.name, bootstrapToken: token, secrets });
  }
  if (name === undefined || faults.length > 0) return { fault: faults.join('; ') };
  try {
    return await readCloudConfig(control, { machine, name, provider });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { fault: `${error.message}: set userData.operatingSystemManager of the chart` };
  }
}

function refusal(message: string): DriverError {
  return new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: false });
}

function unavailable(message: string): DriverError {
  return new DriverError({ code: 'Unavailable', message, settled: false });
}

/** Undefined: the user data want none. */
async function tokenOf(
  target: KubeClient | undefined,
  request: DriverRequest,
): Promise<string | undefined> {
  const { bootstrapTokenId } = request;
  if (!target || bootstrapTokenId === undefined) return undefined;
  const token = await ignoreNotFound(readBootstrapToken(target, bootstrapTokenId));
  const fault = faultOfToken(token, request);
  if (token && fault === undefined) return token.text;
  // The next attempt makes it again. An earlier one may have used it.
  throw unavailable(`the bootstrap token ${bootstrapTokenId} ${fault}`);
}

/** A stop, or another pause, moves the deadline of a create, and not the end of its token. */
function faultOfToken(
  token: BootstrapToken | undefined,
  { checkpoint }: DriverRequest,
): string | undefined {
  if (!token) return 'was deleted before it was used';
  const isTooLate = token.endsSoon && checkpoint === undefined;
  return isTooLate ? 'ends before a Node could join with it' : undefined;
}

/** As an instance may print them: with the places filled, bytes in base64. */
export async function printableSecret(
  clusters: Clusters,
  request: DriverRequest,
  resolved: ClassWithSecret,
): Promise<Record<string, string>> {
  const { secret, binary = {} } = resolved;
  const { userData = '' } = secret;
  const filled = fillUserData(userData, { machineName: request.machine.name });
  const encoded = Object.entries(binary).map(([key, bytes]) => [
    `${key} in base64`,
    Buffer.from(bytes).toString('base64'),
  ]);
  return {
    ...secret,
    ...(typeof filled === 'string' && { 'userData, filled': filled }),
    ...Object.fromEntries(encoded),
    ...(await printableMade(clusters, request, resolved)),
  };
}

/** As they would be made now. The token counts for as long as the machine has not joined. */
async function printableMade(
  { control, target }: Clusters,
  request: DriverRequest,
  { userData }: ClassWithSecret,
): Promise<Record<string, string>> {
  const asked = await userData?.();
  if (!asked) return {};
  const { machine, bootstrapTokenId = tokenIdOf(machine.uid, 0) } = request;
  const token = target && (await ignoreNotFound(readBootstrapToken(target, bootstrapTokenId)));
  const made = await makeUserData(control, request, { asked, token: token?.text });
  if (!('hidden' in made)) {
    const why = 'waits' in made ? made.waits : made.fault;
    const message = `the console is not kept, as what is secret in it is not known: ${why}`;
    throw new DriverError({ code: 'FailedPrecondition', message, settled: true });
  }
  return Object.fromEntries(made.hidden.map((value, index) => [`hidden ${index}`, value]));
}
