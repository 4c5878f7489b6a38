/**
 * What is taken of Alibaba Cloud's SDK: its models of requests and answers, and the signature. The
 * package's entrance would load all of its 1,150 models. Imported by `prepare` or the first call.
 */
import { DeleteInstanceRequest } from '@alicloud/ecs20140526/dist/models/DeleteInstanceRequest.js';
import { DescribeInstancesRequest } from '@alicloud/ecs20140526/dist/models/DescribeInstancesRequest.js';
import { DescribeInstancesResponseBody } from '@alicloud/ecs20140526/dist/models/DescribeInstancesResponseBody.js';
import { GetInstanceConsoleOutputRequest } from '@alicloud/ecs20140526/dist/models/GetInstanceConsoleOutputRequest.js';
import { GetInstanceConsoleOutputResponseBody } from '@alicloud/ecs20140526/dist/models/GetInstanceConsoleOutputResponseBody.js';
import { RunInstancesRequest } from '@alicloud/ecs20140526/dist/models/RunInstancesRequest.js';
import { RunInstancesResponseBody } from '@alicloud/ecs20140526/dist/models/RunInstancesResponseBody.js';
import { TagResourcesRequest } from '@alicloud/ecs20140526/dist/models/TagResourcesRequest.js';
import utils from '@alicloud/openapi-core/dist/utils.js';
import { cast, Request, type Model } from '@darabonba/typescript';
import { createHash } from 'node:crypto';
import { stringify } from 'node:querystring';
import type { Credentials } from './credentials.ts';

const requests = {
  RunInstances: RunInstancesRequest,
  DescribeInstances: DescribeInstancesRequest,
  DeleteInstance: DeleteInstanceRequest,
  GetInstanceConsoleOutput: GetInstanceConsoleOutputRequest,
  TagResources: TagResourcesRequest,
} as const;

export type Action = keyof typeof requests;

/** ECS takes both methods; a read is a GET, so that what is in between knows it for one. */
type Method = 'GET' | 'POST';

const methods: Readonly<Record<Action, Method>> = {
  RunInstances: 'POST',
  DescribeInstances: 'GET',
  DeleteInstance: 'POST',
  GetInstanceConsoleOutput: 'GET',
  TagResources: 'POST',
};

export interface SignedRequest {
  method: Method;
  /** With its query, which has everything: ECS takes no bodies. */
  path: string;
  headers: Record<string, string>;
}

export interface Asked {
  action: Action;
  /** By the names of the SDK's model. */
  input: object;
  host: string;
  credentials: Credentials;
}

const algorithm = 'ACS3-HMAC-SHA256';
const emptyBody = createHash('sha256').update('').digest('hex');

export function signedRequest({ action, input, host, credentials }: Asked): SignedRequest {
  const model: Model = new requests[action](input);
  const query = utils.default.query(model.toMap());
  const headers: Record<string, string> = {
    host,
    'x-acs-action': action,
    'x-acs-version': '2014-05-26',
    'x-acs-date': utils.default.getTimestamp(),
    'x-acs-signature-nonce': utils.default.getNonce(),
    'x-acs-content-sha256': emptyBody,
  };
  const { accessKeyId, accessKeySecret } = credentials;
  const method = methods[action];
  const request = Object.assign(new Request(), { method, pathname: '/', query, headers });
  headers['authorization'] = utils.default.getAuthorization(
    request,
    algorithm,
    emptyBody,
    accessKeyId,
    accessKeySecret,
  );
  return { method, path: `/?${stringify(query)}`, headers };
}

/** The readers fail where an answer has another form. */
export const readers = {
  run: (json: unknown): RunInstancesResponseBody => cast(json, new RunInstancesResponseBody({})),
  describe: (json: unknown): DescribeInstancesResponseBody =>
    cast(json, new DescribeInstancesResponseBody({})),
  console: (json: unknown): GetInstanceConsoleOutputResponseBody =>
    cast(json, new GetInstanceConsoleOutputResponseBody({})),
};
