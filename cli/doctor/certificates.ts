/** Until when certificates hold. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { DoctorResult } from './check.ts';
import { error, limitMs, ok, warning } from './check.ts';

const dayMs = 86_400_000;
const warningDays = 30;

/** Milliseconds. Whether it can be trusted is not checked: a connection shows that. */
export async function endOfServerCertificate({
  host,
  port,
}: {
  host: string;
  port: number;
}): Promise<number> {
  return await new Promise((resolve, reject) => {
    const name = host.replace(/^\[|\]$/g, '');
    const socket = connect({
      host: name,
      port,
      ...(isIP(name) === 0 && { servername: name }),
      ALPNProtocols: ['h2', 'http/1.1'],
      rejectUnauthorized: false,
      timeout: limitMs / 2,
    });
    socket.once('secureConnect', () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error(`${host}:${port} does not answer`)));
    socket.once('error', reject);
  });
}

/** Milliseconds; undefined where a kubeconfig has no certificate in itself. */
export function endsIn(certData: string | undefined): number | undefined {
  if (!certData) return undefined;
  return Date.parse(new X509Certificate(Buffer.from(certData, 'base64')).validTo);
}

export function certificateResult(
  check: string,
  { whose, end }: { whose: string; end: number },
  now = Date.now(),
): DoctorResult {
  const days = Math.floor((end - now) / dayMs);
  const until = `${whose}, until ${new Date(end).toISOString()}`;
  const repair = 'renew it, and see that what serves it reads the new one';
  if (days < 0) return error(check, `has ended: ${until}`, repair);
  if (days < warningDays) return warning(check, `ends in ${days} days: ${until}`, repair);
  return ok(check, `${days} days left`);
}
