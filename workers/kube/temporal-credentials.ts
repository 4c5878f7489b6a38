/** What a Temporal client connects with. */
import { createSecureContext } from 'node:tls';
import { ChannelCredentials } from '@grpc/grpc-js';
import type { ConnectionOptions } from '@temporalio/client';
import type { TemporalSettings } from '../config/temporal.ts';

type Tls = Exclude<TemporalSettings['connection']['tls'], boolean | null | undefined>;

/**
 * A CA that is given may be the issuing one alone: the worker's connection and the command
 * `temporal` trust it. The client's does so only with a context of our own, which takes the place
 * of its options for TLS and for the key.
 */
export function credentialsOf({
  tls,
  apiKey,
  metadata,
}: TemporalSettings['connection']): Partial<ConnectionOptions> {
  if (typeof tls === 'object' && tls?.serverRootCACertificate) {
    const key = apiKey ? { Authorization: `Bearer ${apiKey}` } : {};
    return { ...channelOf(tls), metadata: { ...metadata, ...key } };
  }
  return {
    ...(tls !== undefined && { tls }),
    ...(apiKey !== undefined && { apiKey }),
    ...(metadata && { metadata }),
  };
}

function channelOf({
  serverRootCACertificate: ca,
  clientCertPair: pair,
  serverNameOverride: name,
}: Tls): Pick<ConnectionOptions, 'credentials' | 'channelArgs'> {
  const secureContext = createSecureContext({
    ...(ca && { ca: Buffer.from(ca) }),
    ...(pair && { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) }),
    allowPartialTrustChain: true,
  });
  return {
    credentials: ChannelCredentials.createFromSecureContext(secureContext),
    ...(name && {
      channelArgs: { 'grpc.ssl_target_name_override': name, 'grpc.default_authority': name },
    }),
  };
}
