/** The authority: gives tokens to one application. */
import { randomUUID } from 'node:crypto';
import type { Answer } from './answer.ts';

export interface Application {
  tenant: string;
  clientId: string;
  clientSecret: string;
}

export interface Authority {
  answer(request: { method: string; path: string; text: string }): Answer | 'silence' | undefined;
  /** Was this token given, and is it still good? */
  isGood(token: string): boolean;
  /** From now on nobody gets one, and those that were given are void. */
  revoke(): void;
  restore(): void;
  /** The next requests for a token are never answered. Default: all until `restore`. */
  fallSilent(times?: number): void;
  /** Requests for a token are answered with this until `restore`: it is in trouble of its own. */
  fail(answer: Answer): void;
  /** Requests so far; each new client asks for the metadata once. */
  readonly heard: { metadata: number; tokens: number; assertion?: string };
}

export function createAuthority(application: Application, origin: () => string): Authority {
  const tokens = new Set<string>();
  let isRevoked = false;
  let silences = 0;
  let trouble: Answer | undefined;
  const heard: Authority['heard'] = { metadata: 0, tokens: 0 };
  return {
    heard,
    fallSilent(times = Infinity) {
      silences = times;
    },
    fail(answer) {
      trouble = answer;
    },
    isGood: (token) => tokens.has(token),
    revoke() {
      isRevoked = true;
      tokens.clear();
    },
    restore() {
      isRevoked = false;
      silences = 0;
      trouble = undefined;
    },
    answer({ method, path, text }) {
      if (path.endsWith('/v2.0/.well-known/openid-configuration')) {
        heard.metadata += 1;
        return { status: 200, body: configuration(`${origin()}/${application.tenant}`) };
      }
      if (method !== 'POST' || !path.endsWith('/oauth2/v2.0/token')) return undefined;
      heard.tokens += 1;
      const assertion = new URLSearchParams(text).get('client_assertion');
      if (assertion !== null) heard.assertion = assertion;
      if (silences > 0) {
        silences -= 1;
        return 'silence';
      }
      if (trouble) return trouble;
      const fault = isRevoked ? 'invalid_client' : faultOf(application, path, text);
      if (fault !== undefined) return refusal(fault);
      const token = randomUUID();
      tokens.add(token);
      const body = {
        token_type: 'Bearer',
        expires_in: 3_600,
        ext_expires_in: 3_600,
        access_token: token,
      };
      return { status: 200, body };
    },
  };
}

function configuration(base: string): object {
  return {
    token_endpoint: `${base}/oauth2/v2.0/token`,
    authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
    device_authorization_endpoint: `${base}/oauth2/v2.0/devicecode`,
    end_session_endpoint: `${base}/oauth2/v2.0/logout`,
    jwks_uri: `${base}/discovery/v2.0/keys`,
    issuer: `${base}/v2.0`,
  };
}

/**
 * A secret, or an assertion: of a certificate, or of a workload identity. What an assertion says is
 * not looked at.
 */
function faultOf(
  { tenant, clientId, clientSecret }: Application,
  path: string,
  text: string,
): string | undefined {
  const form = new URLSearchParams(text);
  if (!path.startsWith(`/${tenant}/`)) return 'invalid_request';
  if (form.get('client_id') !== clientId) return 'unauthorized_client';
  if (!form.get('scope')?.endsWith('/.default')) return 'invalid_scope';
  const assertion = form.get('client_assertion');
  if (assertion !== null) return assertion === '' ? 'invalid_client' : undefined;
  return form.get('client_secret') === clientSecret ? undefined : 'invalid_client';
}

function refusal(error: string): Answer {
  const description = `AADSTS7000215: refused by the double (${error}).`;
  const body = {
    error,
    error_description: description,
    error_codes: [7_000_215],
    correlation_id: randomUUID(),
  };
  return { status: 401, body };
}
