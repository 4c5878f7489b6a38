/** Images of the marketplace: their ARM id, and the terms that go with some. */
import type { Plan, VirtualMachineImage } from '@azure/arm-compute';
import { AzureFailure, isAbsent } from './error-mapping.ts';
import { call, callRaw, type Session } from './session.ts';

interface ImageSource {
  urn?: string;
  skipMarketplaceAgreement?: boolean;
}

/**
 * What has to be sent with an image that is sold. Its terms are accepted for the subscription.
 * Where the class says not to look, neither is read, as by Gardener's driver.
 */
export async function planOf(session: Session, image: ImageSource): Promise<Plan | undefined> {
  if (!image.urn || image.skipMarketplaceAgreement) return undefined;
  const { plan } = await readImage(session, image.urn);
  if (!plan) return undefined;
  await acceptTerms(session, plan);
  const { name, publisher, product } = plan;
  return { name, publisher, product };
}

export async function imageIdOf(session: Session, image: ImageSource): Promise<string | undefined> {
  return image.urn ? (await readImage(session, image.urn)).id : undefined;
}

async function readImage(session: Session, urn: string): Promise<VirtualMachineImage> {
  const [publisher = '', offer = '', sku = '', asked = ''] = urn.split(':');
  const { location } = session.place;
  const images = session.clients.compute.virtualMachineImages;
  const doing = `get image ${urn} in ${location}`;
  return await orInput(
    call(session, doing, async (options) => {
      const newest = { ...options, top: 1, orderby: 'name desc' };
      const version =
        asked === 'latest'
          ? (await images.list(location, publisher, offer, sku, newest))[0]?.name
          : asked;
      return await images.get(location, publisher, offer, sku, version ?? asked, options);
    }),
  );
}

/** An input of the class that does not exist: the class has to be changed. */
export async function orInput<Result>(calling: Promise<Result>): Promise<Result> {
  try {
    return await calling;
  } catch (error) {
    if (!isAbsent(error) || !(error instanceof AzureFailure)) throw error;
    const { message, status, code } = error;
    throw new AzureFailure({ meaning: 'input', message, status, code, cause: error });
  }
}

/** The SDK has a package of its own for these two requests. */
async function acceptTerms(session: Session, plan: Plan): Promise<void> {
  const { name, publisher, product } = plan;
  const [publisherPart, offerPart, planPart] = [publisher, product, name].map((part) =>
    encodeURIComponent(part ?? ''),
  );
  const url =
    `/subscriptions/${session.clients.subscriptionId}/providers/Microsoft.MarketplaceOrdering` +
    `/offerTypes/virtualmachine/publishers/${publisherPart}/offers/${offerPart}/plans/${planPart}` +
    `/agreements/current?api-version=2021-01-01`;
  const what = `the terms of marketplace plan ${publisher}:${product}:${name}`;
  const { body } = await orInput(callRaw(session, `get ${what}`, { method: 'GET', url }));
  const properties = Object(body['properties']);
  if (properties.accepted === true) return;
  const accepted = { properties: { ...properties, accepted: true } };
  await callRaw(session, `accept ${what}`, { method: 'PUT', url, body: accepted });
}
