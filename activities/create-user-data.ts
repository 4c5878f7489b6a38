/**
 * The user data of one create: of the class's Secret with its places filled, or rendered. They hold
 * credentials: they go to the driver, and nowhere else.
 */
import type { DriverRequest } from '../workflows/contracts/driver-contract.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { ignoreNotFound } from '../kube/client/ignore.ts';
import { DriverError } from './drivers/driver.ts';
import { readBootstrapToken, tokenIdOf, type BootstrapToken } from './machine/bootstrap-token.ts';
import { userDataIn, type ClassWithSecret } from './machine-class/reader.ts';
import { fillUserData, type UserData } from './machine-class/user-data.ts';
import { hideIn } from './redaction/hide.ts';
import type { ClassUserData } from './user-data/class-user-data.ts';
import { renderedUserData } from './user-data/rendered.ts';

interface Clusters {
  control: KubeClient;
  target?: KubeClient;
}

export interface CreateUserData {
  userData: UserData;
  /** What was rendered, as text; absent of what a Secret has. */
  rendered?: Rendered;
  /** For the Machine: profile, version and digest. */
  origin?: string;
}

interface Rendered {
  text: string;
  secrets: ClassUserData['secrets'];
}

/** Only a create needs them: the token is gone once the machine ran. */
export async function userDataOf(
  { target }: Clusters,
  request: DriverRequest,
  resolved: ClassWithSecret,
): Promise<CreateUserData> {
  const { machine } = request;
  const machineName = machine.name;
  const token = await tokenOf(target, request);
  const asked = await resolved.userData?.();
  if (asked) return rendered(asked, { machineName, token });
  const template = userDataIn(resolved) ?? '';
  const places = token === undefined ? { machineName } : { machineName, bootstrapToken: token };
  return { userData: fillUserData(template, places) };
}

function rendered(
  { input, secrets, faults }: ClassUserData,
  { machineName, token }: { machineName: string; token: string | undefined },
): CreateUserData {
  if (faults.length > 0 || !input) throw refusal(faults.join('; '));
  if (token === undefined) {
    // The class asks for them only since its machine was read: the next attempt makes one.
    throw unavailable('the machine has no bootstrap token yet, and its user data need one');
  }
  const made = renderedUserData(input, { machineName, bootstrapToken: token, secrets });
  if ('fault' in made) throw refusal(made.fault);
  const { text, userData, origin } = made;
  return { userData, rendered: { text, secrets }, ...(origin !== undefined && { origin }) };
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

/** A cloud may repeat what it was sent; packed by gzip, only this function knows the text. */
export async function hidingUserData<T>(call: Promise<T>, made: CreateUserData): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (made.rendered) hideIn(error, { secret: secretsIn(made), userData: made.rendered.text });
    throw error;
  }
}

function secretsIn({ userData, rendered: made }: CreateUserData): Record<string, string> {
  const packed =
    typeof userData === 'string' ? {} : { packed: Buffer.from(userData).toString('base64') };
  return { ...packed, ...flat(made?.secrets ?? {}) };
}

function flat(secrets: ClassUserData['secrets']): Record<string, string> {
  const values = Object.entries(secrets).flatMap(([name, keys]) =>
    // No key of ours may look like one that people need to see.
    Object.entries(keys).map(([key, value]) => [`${name}/${key} (secret)`, value]),
  );
  return Object.fromEntries(values);
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
    ...(await printableRendered(clusters, request, resolved)),
  };
}

/** As it would be rendered now. Its token counts for as long as the machine has not joined. */
async function printableRendered(
  { target }: Clusters,
  { machine, bootstrapTokenId = tokenIdOf(machine.uid, 0) }: DriverRequest,
  { userData }: ClassWithSecret,
): Promise<Record<string, string>> {
  const asked = await userData?.();
  if (!asked?.input) return {};
  const token = target && (await ignoreNotFound(readBootstrapToken(target, bootstrapTokenId)));
  const values = { machineName: machine.name, bootstrapToken: token?.text ?? '' };
  const made = renderedUserData(asked.input, { ...values, secrets: asked.secrets });
  const text = 'fault' in made ? '' : made.text;
  return { rendered: text, bootstrapToken: values.bootstrapToken, ...flat(asked.secrets) };
}
