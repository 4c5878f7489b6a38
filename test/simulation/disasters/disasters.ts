/** What happens to processes and servers from outside, by seed, until the weather clears. */
import type { World } from '../world/world.ts';

export function startDisasters(world: World): void {
  const { weather } = world;
  const { killsAnHour, outagesAnHour, clockJumpsAnHour } = weather.trouble;
  const replicas = world.installs.flatMap((install) => install.replicas);
  weather.often(killsAnHour, () => {
    const replica = weather.chance.pick(replicas);
    if (weather.chance.happens(0.7)) replica.kill();
    else replica.restart();
  });
  weather.often(outagesAnHour, () => loseServer(world));
  weather.often(clockJumpsAnHour, () => {
    const { process } = weather.chance.pick(replicas);
    process?.jump(Math.round(weather.chance.between(-30_000, 30_000)));
  });
}

function loseServer({ simulation, weather, clusters, temporal }: World): void {
  const lastsMs = weather.chance.between(1_000, 600_000);
  const server = weather.chance.pick([...clusters, temporal]);
  const name = 'name' in server ? server.name : 'temporal';
  simulation.note('disaster', `${name} is away for ${Math.round(lastsMs / 1_000)} s`);
  server.isUp = false;
  simulation.after(lastsMs, () => {
    server.isUp = true;
    simulation.note('disaster', `${name} is back`);
  });
}
