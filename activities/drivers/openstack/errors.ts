/** What the errors of OpenStack's services mean. */
import { httpMeanings, meaningIn } from '../error-meanings.ts';
import type { ErrorTable, MeaningName } from '../error-meanings.ts';
import type { Refusal, RestAnswer } from '../frame/http.ts';

/** By the type that Neutron names, or the name under which Nova and Cinder put the error. */
export const typeMeanings = {
  itemNotFound: 'missing',
  PortNotFound: 'missing',
  FloatingIPNotFound: 'missing',
  /** Of Neutron, for a kind of thing that this cloud does not have. */
  HTTPNotFound: 'missing',
  NetworkNotFound: 'input',
  SubnetNotFound: 'input',
  SecurityGroupNotFound: 'input',
  OverQuota: 'quota',
  MacAddressInUse: 'taken',
  IpAddressGenerationFailure: 'capacity',
  NoMoreFixedIps: 'capacity',
} as const satisfies ErrorTable;

/** By HTTP status. None means "missing": that takes the name above. */
export const statusMeanings = {
  ...httpMeanings,
  '408': 'unanswered',
  '413': 'throttling',
} as const satisfies ErrorTable;

interface WordsMeaning {
  words: RegExp;
  meaning: MeaningName;
}

/** Services give a quota, and much else, one status with what has nothing to do with it. */
const wordsMeanings: readonly WordsMeaning[] = [
  {
    words: /quota exceeded|exceeds? .*quota|exceeded .*quota|maximum number of \S+ exceeded/i,
    meaning: 'quota',
  },
  { words: /\bis locked\b/i, meaning: 'precondition' },
];

/** Why a server, or a volume, has the status ERROR. */
const faultMeanings: readonly WordsMeaning[] = [
  { words: /no valid (host|backend) was found|not enough hosts available/i, meaning: 'capacity' },
  { words: /insufficient compute resources/i, meaning: 'capacity' },
  ...wordsMeanings,
];

export function meaningOfFault(text: string): MeaningName {
  return faultMeanings.find(({ words }) => words.test(text))?.meaning ?? 'conflict';
}

/** Undefined: not in the form of a service of OpenStack. */
export function refusalIn({ status, json, headers }: RestAnswer): Refusal | undefined {
  const said = saidIn(json, status);
  if (said) return { meaning: meaningOf(status, said), code: said.type, words: said.message };
  // Older middleware says it in words, and names Keystone in this header only.
  const challenge = String(headers['www-authenticate'] ?? '');
  const isKeystones = status === 401 && challenge.startsWith('Keystone');
  return isKeystones ? { meaning: 'unauthenticated', words: 'the token is refused' } : undefined;
}

interface Said {
  /** The error's own name, where it has one. */
  type?: string;
  message: string;
}

/**
 * `{"NeutronError": {"type", "message"}}`, `{"itemNotFound": {"code", "message"}}`,
 * `{"error": {"code", "message"}}` of Keystone, `{"code": "404 Not Found", "message"}`.
 */
function saidIn(json: unknown, status: number): Said | undefined {
  const { code, message, ...named }: Record<string, unknown> = Object(json);
  if (typeof message === 'string' && String(code).startsWith(`${status} `)) return { message };
  const [entry, ...others] = Object.entries(named);
  if (!entry || others.length > 0) return undefined;
  const [name, value] = entry;
  if (name === 'NeutronError' && typeof value === 'string') return { message: value };
  const inner: Record<string, unknown> = Object(value);
  if (typeof inner['message'] !== 'string') return undefined;
  if (name === 'NeutronError') return { type: String(inner['type']), message: inner['message'] };
  if (inner['code'] !== status) return undefined;
  return name === 'error'
    ? { message: inner['message'] }
    : { type: name, message: inner['message'] };
}

function meaningOf(status: number, { type = '', message }: Said): MeaningName {
  const byWords = wordsMeanings.find(({ words }) => words.test(message))?.meaning;
  const isRefusal = status >= 400 && status < 500;
  if (byWords && isRefusal) return byWords;
  return meaningIn(typeMeanings, type) ?? meaningIn(statusMeanings, String(status)) ?? 'unknown';
}
