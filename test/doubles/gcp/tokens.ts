/**
 * The token endpoint: changes a signed statement, or a foreign token, for an access token. Answers
 * with OAuth's own errors.
 */
import type { KeyObject } from 'node:crypto';
import { createVerify } from 'node:crypto';
import { Refusal } from './answers.ts';

export interface TokenRules {
  /** Of the service account. Default: any. */
  email?: string;
  /** Checks signatures. Default: they are not checked. */
  publicKey?: KeyObject;
}

const jwtGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

export class Tokens {
  readonly #issued = new Set<string>();
  readonly #rules: TokenRules;

  constructor(rules: TokenRules) {
    this.#rules = rules;
  }

  isIssued(token: string): boolean {
    return this.#issued.has(token);
  }

  /** Whoever holds one has to get another. */
  revoke(): void {
    this.#issued.clear();
  }

  issue(form: URLSearchParams): object {
    const grant = form.get('grant_type');
    if (grant === jwtGrant) this.#checkStatement(form.get('assertion') ?? '');
    else if (grant === exchangeGrant) checkExchange(form);
    else refuseGrant('unsupported_grant_type', `grant_type ${grant}`);
    const token = `double-token-${this.#issued.size + 1}-${Math.random().toString(36).slice(2)}`;
    this.#issued.add(token);
    const exchanged = { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' };
    return { access_token: token, token_type: 'Bearer', expires_in: 3_600, ...exchanged };
  }

  #checkStatement(assertion: string): void {
    const [head = '', claims = '', signature = ''] = assertion.split('.');
    const header = decode(head);
    if (header['alg'] !== 'RS256') refuseGrant('invalid_grant', 'alg is not RS256');
    checkClaims(decode(claims), this.#rules.email);
    const { publicKey } = this.#rules;
    if (!publicKey) return;
    const check = createVerify('RSA-SHA256').update(`${head}.${claims}`);
    if (check.verify(publicKey, signature, 'base64url')) return;
    refuseGrant('invalid_grant', 'Invalid JWT Signature.');
  }
}

function checkClaims(claims: Record<string, unknown>, email: string | undefined): void {
  const { iss, aud, scope, iat, exp } = claims;
  if (email !== undefined && iss !== email) refuseGrant('invalid_grant', 'account not found');
  if (aud !== 'https://oauth2.googleapis.com/token') refuseGrant('invalid_grant', 'wrong aud');
  const isScope = typeof scope === 'string' && scope.includes('googleapis.com/auth/');
  if (!isScope) refuseGrant('invalid_scope', 'no scope');
  const seconds = Number(exp) - Number(iat);
  if (!(seconds > 0 && seconds <= 3_600)) refuseGrant('invalid_grant', 'wrong lifetime');
}

function checkExchange(form: URLSearchParams): void {
  const wanted = ['audience', 'subject_token', 'subject_token_type', 'requested_token_type'];
  const missing = wanted.filter((name) => !form.get(name));
  if (missing.length > 0) refuseGrant('invalid_request', `missing ${missing.join(', ')}`);
}

function decode(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString('utf8')));
  } catch {
    return refuseGrant('invalid_grant', 'not a JWT');
  }
}

function refuseGrant(error: string, description: string): never {
  throw new Refusal({ status: 400, body: { error, error_description: description } });
}
