import { rememberTokens } from './ec2-tokens.ts';

test('a request that moto cannot be asked is refused, and the test run goes on', async () => {
  const gone = await rememberTokens('http://127.0.0.1:1');
  try {
    const listing = await fetch(`${gone.url}/instances`);
    expect([listing.status, await listing.text()]).toEqual([
      405,
      'GET /instances: EC2 is asked with POST',
    ]);
    const unanswered = await fetch(gone.url, { method: 'POST', body: 'Action=RunInstances' });
    expect(unanswered.status).toBe(502);
  } finally {
    await gone.stop();
  }
});
