/** Calls of a vCenter's SOAP API, with a session that is opened when it is needed. */
import { monotonicMs } from '../../../system/system.ts';
import { DriverError } from '../../driver.ts';
import { fault } from '../../frame/fault.ts';
import { createRestClient, orAbsent, type RestClient } from '../../frame/http.ts';
import type { Environment } from '../../settings.ts';
import type { Credentials } from '../credentials.ts';
import { refusalIn } from '../errors.ts';
import { childOf, allIn, readAnswer, textOf, typeOf, written, xml } from './xml.ts';
import type { XmlElement } from './xml.ts';

/** A managed object of the vCenter: `VirtualMachine`, `vm-42`. */
export interface Ref {
  type: string;
  value: string;
}

export const refTo = (name: string, { type, value }: Ref): XmlElement => xml(name, value, { type });

export function refIn(element: XmlElement | undefined): Ref | undefined {
  return element && { type: element.attributes['type'] ?? '', value: element.text };
}

export interface ClientCall {
  /** In words, for errors: `make instance x`. */
  what: string;
  /** A manager by its name in the service content, such as `searchIndex`. */
  of: Ref | string;
  args?: readonly (XmlElement | false | undefined)[];
  signal: AbortSignal;
  /** See `RestCall`. */
  isCreate?: boolean;
}

export interface FoundObject {
  ref: Ref;
  /** By path; what is not set is absent. */
  values: Readonly<Record<string, XmlElement>>;
}

export interface Selection {
  /** Made by `objectSetOf` and `within`. */
  objects: readonly XmlElement[];
  /** By type. */
  paths: Readonly<Record<string, readonly string[]>>;
}

export const objectSetOf = (ref: Ref): XmlElement =>
  xml('objectSet', [refTo('obj', ref), xml('skip', false)]);

/** What a folder has in `childEntity`, or a view in `view`. */
export function within(ref: Ref, path: 'childEntity' | 'view'): XmlElement {
  const step = [xml('type', ref.type), xml('path', path), xml('skip', false)];
  const selection = xml('selectSet', step, { 'xsi:type': 'TraversalSpec' });
  return xml('objectSet', [refTo('obj', ref), xml('skip', true), selection]);
}

/** A vCenter locks an account after a few wrong passwords. */
const refusedLoginMilliseconds = 60_000;

const namespaces =
  'xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

interface Session {
  cookie: string;
  /** The managers of the vCenter by name. */
  content: ReadonlyMap<string, Ref>;
}

export interface ClientOptions {
  credentials: Credentials;
  callTimeoutSeconds: number;
  env: Environment;
  /** Objects in one answer: reading one stops all else, and they are long. Default 100. */
  pageSize?: number;
}

export class VsphereClient {
  readonly #credentials: Credentials;
  readonly #rest: RestClient;
  readonly #pageSize: number;
  #session: Promise<Session> | undefined;
  #opened: Session | undefined;
  #triedAt = 0;

  constructor({ credentials, callTimeoutSeconds, env, pageSize = 100 }: ClientOptions) {
    this.#credentials = credentials;
    this.#pageSize = pageSize;
    this.#rest = createRestClient({
      title: 'vSphere',
      url: credentials.url,
      callTimeoutSeconds,
      env,
      tls: { ca: credentials.ca, rejectUnauthorized: !credentials.isInsecure },
      headers: () => ({
        accept: 'text/xml',
        'content-type': 'text/xml; charset=utf-8',
        soapaction: 'urn:vim25/6.7',
      }),
      refusalIn,
      parse: readAnswer,
    });
  }

  /** A session that is over is opened again, once. */
  async call(method: string, call: ClientCall): Promise<XmlElement> {
    const session = await this.#open(call.signal);
    try {
      return await this.#send(method, call, session);
    } catch (error) {
      if (!(error instanceof DriverError) || error.code !== 'Unauthenticated') throw error;
      return await this.#send(method, call, await this.#open(call.signal, session));
    }
  }

  async manager(name: string, signal: AbortSignal): Promise<Ref> {
    const ref = (await this.#open(signal)).content.get(name);
    if (ref) return ref;
    throw fault(
      'precondition',
      `vSphere: ${this.#credentials.url.host} has no ${name}: it is no vCenter`,
    );
  }

  async find(path: string, signal: AbortSignal): Promise<Ref | undefined> {
    const args = [xml('inventoryPath', path)];
    const call = { what: `find ${path}`, of: 'searchIndex', args, signal };
    return refIn(childOf(await this.call('FindByInventoryPath', call), 'returnval'));
  }

  async retrieve(
    { objects, paths }: Selection,
    call: Pick<ClientCall, 'what' | 'signal'>,
  ): Promise<FoundObject[]> {
    const properties = Object.entries(paths).map(([type, names]) =>
      xml('propSet', [xml('type', type), ...names.map((name) => xml('pathSet', name))]),
    );
    const of = 'propertyCollector';
    const args = [
      xml('specSet', [...properties, ...objects]),
      xml('options', [xml('maxObjects', this.#pageSize)]),
    ];
    const found: FoundObject[] = [];
    let answer = await this.call('RetrievePropertiesEx', { ...call, of, args });
    for (;;) {
      const page = childOf(answer, 'returnval');
      found.push(...allIn(page, 'objects').map(objectIn));
      const token = textOf(page, 'token');
      if (token === '') return found;
      answer = await this.call('ContinueRetrievePropertiesEx', {
        ...call,
        of,
        args: [xml('token', token)],
      });
    }
  }

  /** Undefined when it does not exist. */
  async read(
    ref: Ref,
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<FoundObject['values'] | undefined> {
    const selection = { objects: [objectSetOf(ref)], paths: { [ref.type]: names } };
    const call = { what: `read ${ref.value}`, signal };
    return (await orAbsent(this.retrieve(selection, call)))?.[0]?.values;
  }

  /** All objects of these types below another one, with their names. */
  async view(
    container: Ref,
    types: readonly string[],
    signal: AbortSignal,
  ): Promise<FoundObject[]> {
    const call = { what: `list what is below ${container.value}`, signal };
    const wanted = types.map((type) => xml('type', type));
    const args = [refTo('container', container), ...wanted, xml('recursive', true)];
    const made = await this.call('CreateContainerView', { ...call, of: 'viewManager', args });
    const view = refIn(childOf(made, 'returnval')) ?? container;
    const paths = Object.fromEntries(types.map((type) => [type, ['name']]));
    const found = await this.retrieve({ objects: [within(view, 'view')], paths }, call);
    await this.call('DestroyView', { ...call, of: view });
    return found;
  }

  async close(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    const call = { what: 'log out', of: 'sessionManager', signal: new AbortController().signal };
    if (session) await this.#send('Logout', call, session).catch(() => undefined);
    await this.#rest.close();
  }

  /** `over`: the one that is to be replaced, if no other call has done that. */
  async #open(signal: AbortSignal, over?: Session): Promise<Session> {
    if (over && this.#opened === over) this.#session = undefined;
    const opening = (this.#session ??= this.#logIn(signal));
    try {
      this.#opened = await opening;
      return this.#opened;
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      const isRefused = error.code === 'Unauthenticated';
      if (isRefused && monotonicMs() < this.#triedAt + refusedLoginMilliseconds) throw error;
      if (this.#session === opening) this.#session = undefined;
      // Another call tried it, and was cancelled.
      const isOfOther = error.code === 'Canceled' && !signal.aborted;
      if (isRefused || isOfOther) return await this.#open(signal);
      throw error;
    }
  }

  async #logIn(signal: AbortSignal): Promise<Session> {
    this.#triedAt = monotonicMs();
    const none = { cookie: '', content: new Map<string, Ref>() };
    const of = { type: 'ServiceInstance', value: 'ServiceInstance' };
    const call = { what: 'read its service content', of, signal };
    const answer = await this.#send('RetrieveServiceContent', call, none);
    const managers = childOf(answer, 'returnval')?.children ?? [];
    const content = new Map(
      managers.flatMap((element) => {
        const ref = refIn(element);
        return ref?.type ? [[element.name, ref] as const] : [];
      }),
    );
    const { username, password } = this.#credentials;
    const args = [xml('userName', username), xml('password', password)];
    const session = { cookie: '', content };
    await this.#send('Login', { what: 'log in', of: 'sessionManager', args, signal }, session);
    return session;
  }

  /** A login leaves its cookie in the session. */
  async #send(method: string, call: ClientCall, session: Session): Promise<XmlElement> {
    const { what, signal, isCreate = false, args = [] } = call;
    const of = typeof call.of === 'string' ? session.content.get(call.of) : call.of;
    if (!of)
      throw fault(
        'unknown',
        `vSphere: ${what}: it has no ${typeof call.of === 'string' ? call.of : 'such object'}`,
      );
    const request = xml(method, [refTo('_this', of), ...args], { xmlns: 'urn:vim25' });
    const answer = await this.#rest.send({
      what,
      method: 'POST',
      path: '',
      headers: session.cookie === '' ? {} : { cookie: session.cookie },
      body: `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope ${namespaces}><soapenv:Body>${written(request)}</soapenv:Body></soapenv:Envelope>`,
      signal,
      isCreate,
    });
    const cookies = [answer.headers['set-cookie'] ?? []].flat();
    const cookie = cookies.find((text) => text.startsWith('vmware_soap_session='));
    if (cookie !== undefined) session.cookie = cookie.split(';', 1)[0] ?? '';
    const body: XmlElement = Object(answer.json);
    requireReadable(body, what);
    return body;
  }
}

function objectIn(element: XmlElement): FoundObject {
  const ref = refIn(childOf(element, 'obj')) ?? { type: '', value: '' };
  const values = allIn(element, 'propSet').flatMap((property) => {
    const value = childOf(property, 'val');
    return value ? [[textOf(property, 'name'), value] as const] : [];
  });
  return { ref, values: Object.fromEntries(values) };
}

/** An object that may be seen without its properties is not one that has none. */
function requireReadable(answer: XmlElement, what: string): void {
  const objects = allIn(childOf(answer, 'returnval'), 'objects');
  for (const missing of objects.flatMap((object) => allIn(object, 'missingSet'))) {
    const type = typeOf(childOf(missing, 'fault.fault'));
    const words = `vSphere: ${what}: property ${textOf(missing, 'path')}: ${type}`;
    if (type === 'NotAuthenticated') throw fault('unauthenticated', words);
    if (type === 'NoPermission') throw fault('forbidden', words);
  }
}
