/**
 * The calls of EC2 that the driver makes, each one request with a time limit. They fail with a
 * `DriverError` only.
 */
import type {
  DescribeInstancesCommandInput,
  EC2,
  Instance,
  RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import { DriverError } from '../driver.ts';
import { orAbsent } from '../frame/http.ts';
import { failureOf } from './error-mapping.ts';
import { orAborted } from '../../system/or-aborted.ts';
import { tagList } from './tags.ts';
import { noteCloudRequest } from '../../system/cloud-requests.ts';
import { anySignal, timeoutSignal } from '../../system/system.ts';

export interface Ec2 {
  readonly region: string;
  /** The instances of all pages. */
  describe(query: DescribeInstancesCommandInput): Promise<Instance[]>;
  /** Undefined: there is no such instance, or none that EC2 lists yet. */
  describeOne(instanceId: string): Promise<Instance | undefined>;
  /**
   * In base64; empty while EC2 has none. `isLatest`: as of now, for instance types that have it.
   */
  consoleOutput(instanceId: string, options: { isLatest: boolean }): Promise<string>;
  /** Undefined: no such image is to be seen. */
  rootDeviceName(ami: string): Promise<string | undefined>;
  run(input: RunInstancesCommandInput): Promise<Instance>;
  /** False: EC2 knows no such instance. */
  terminate(instanceId: string): Promise<boolean>;
  /** Others of the instance stay. */
  tag(instanceId: string, tags: Readonly<Record<string, string>>): Promise<void>;
  disableSourceDestCheck(networkInterfaceId: string): Promise<void>;
  assignIpv6Prefixes(networkInterfaceId: string, count: number): Promise<void>;
}

export interface Ec2Parts {
  client: EC2;
  region: string;
  /** The caller's signal; it ends the call. */
  signal: AbortSignal;
  callTimeoutSeconds: number;
  /** EC2 refuses the credentials of this client. */
  onRefused: () => void;
}

/**
 * EC2 takes no more than this in a page. A hundred pages are more than a region holds for one
 * cluster.
 */
const pageSize = 1_000;
const pagesMax = 100;

type Send = <Answer>(call: Ec2Call<Answer>) => Promise<Answer>;

interface Calls {
  client: EC2;
  region: string;
  send: Send;
}

export function ec2Calls(parts: Ec2Parts): Ec2 {
  const { client, region } = parts;
  const send: Send = (call) => sendOnce(parts, call);
  const calls = { client, region, send };
  return { region, ...readsOf(calls), ...writesOf(calls) };
}

type Reads = Pick<Ec2, 'describe' | 'describeOne' | 'consoleOutput' | 'rootDeviceName'>;

function readsOf({ client, region, send }: Calls): Reads {
  const describe: Ec2['describe'] = (query) =>
    allPages(async (NextToken) => {
      const input = { ...query, ...(NextToken !== undefined && { NextToken }) };
      const action = 'DescribeInstances';
      const page = await send({
        action,
        with: (options) => client.describeInstances(input, options),
      });
      const Reservations = listIn(page.Reservations, `EC2 in ${region}: ${action}`);
      return { ...page, Reservations };
    });
  return {
    describe,
    async describeOne(instanceId) {
      const found = await orAbsent(describe({ InstanceIds: [instanceId] }));
      return found?.[0];
    },
    async consoleOutput(instanceId, { isLatest }) {
      const input = { InstanceId: instanceId, ...(isLatest && { Latest: true }) };
      const { Output = '' } = await send({
        action: 'GetConsoleOutput',
        with: (options) => client.getConsoleOutput(input, options),
      });
      return Output;
    },
    async rootDeviceName(ami) {
      const action = 'DescribeImages';
      const { Images } = await send({
        action,
        isCreate: true,
        with: (options) => client.describeImages({ ImageIds: [ami] }, options),
      });
      return listIn(Images, `EC2 in ${region}: ${action}`)[0]?.RootDeviceName;
    },
  };
}

function writesOf({ client, region, send }: Calls): Omit<Ec2, 'region' | keyof Reads> {
  return {
    async run(input) {
      const { Instances = [] } = await send({
        action: 'RunInstances',
        isCreate: true,
        with: (options) => client.runInstances(input, options),
      });
      const [made] = Instances;
      if (made) return made;
      const message = `EC2 in ${region}: RunInstances: the answer names no instance`;
      throw new DriverError({ code: 'Unknown', message, settled: false });
    },
    async terminate(instanceId) {
      const input = { InstanceIds: [instanceId] };
      const action = 'TerminateInstances';
      const answer = await orAbsent(
        send({ action, with: (options) => client.terminateInstances(input, options) }),
      );
      if (answer) listIn(answer.TerminatingInstances, `EC2 in ${region}: ${action}`);
      return answer !== undefined;
    },
    async tag(instanceId, tags) {
      const input = { Resources: [instanceId], Tags: tagList(tags) };
      await send({
        action: 'CreateTags',
        with: (options) => client.createTags(input, options),
      });
    },
    async disableSourceDestCheck(networkInterfaceId) {
      const input = { NetworkInterfaceId: networkInterfaceId, SourceDestCheck: { Value: false } };
      await send({
        action: 'ModifyNetworkInterfaceAttribute',
        with: (options) => client.modifyNetworkInterfaceAttribute(input, options),
      });
    },
    async assignIpv6Prefixes(networkInterfaceId, count) {
      const input = { NetworkInterfaceId: networkInterfaceId, Ipv6PrefixCount: count };
      await send({
        action: 'AssignIpv6Addresses',
        with: (options) => client.assignIpv6Addresses(input, options),
      });
    },
  };
}

export const pageOf = { MaxResults: pageSize } as const;

interface Ec2Call<Answer> {
  action: string;
  /** A step of a create after its look. */
  isCreate?: boolean;
  with(options: { abortSignal: AbortSignal }): Promise<Answer>;
}

/** The SDK listens to the signal while it waits for EC2, and not while it waits for credentials. */
async function sendOnce<Answer>(parts: Ec2Parts, call: Ec2Call<Answer>): Promise<Answer> {
  const { region, signal, callTimeoutSeconds: timeoutSeconds } = parts;
  const timeout = timeoutSignal(timeoutSeconds * 1_000);
  const abortSignal = anySignal([signal, timeout]);
  try {
    const answer = await orAborted(call.with({ abortSignal }), abortSignal);
    noteRequest(call, answer);
    return answer;
  } catch (cause) {
    noteRequest(call, cause);
    const { action, isCreate = false } = call;
    const failed = { action, region, isCreate, signal, timeout, timeoutSeconds };
    const failure = failureOf(failed, cause);
    if (failure.code === 'Unauthenticated') parts.onRefused();
    throw failure;
  }
}

/** EC2 gives one with each answer, also with those that are errors. */
function noteRequest({ action }: Ec2Call<unknown>, answer: unknown): void {
  const { $metadata }: { $metadata?: { requestId?: string } } = Object(answer);
  noteCloudRequest($metadata?.requestId, !action.startsWith('Describe'));
}

/**
 * EC2 names its list also where that is empty. Something in between that answers 200 does not, and
 * the SDK takes anything for an answer of EC2.
 */
function listIn<Item>(list: Item[] | undefined, doing: string): Item[] {
  if (list) return list;
  const message = `${doing}: not an answer of EC2: status 200 without a list. Does a proxy or a wrong endpoint answer?`;
  throw new DriverError({ code: 'Unknown', message, settled: false });
}

interface Ec2Page {
  Reservations: { Instances?: Instance[] | undefined }[];
  NextToken?: string | undefined;
}

async function allPages(read: (nextToken?: string) => Promise<Ec2Page>): Promise<Instance[]> {
  const instances: Instance[] = [];
  let nextToken: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const { Reservations, NextToken } = await read(nextToken);
    instances.push(...Reservations.flatMap((reservation) => reservation.Instances ?? []));
    if (!NextToken) return instances;
    nextToken = NextToken;
  }
  const message = `EC2: DescribeInstances: more than ${pagesMax} pages; a partial list is not used`;
  throw new DriverError({ code: 'OutOfRange', message, settled: false });
}
