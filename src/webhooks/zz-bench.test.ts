import { createServer } from 'node:http';
import { spawn } from 'node:child_process';
import { it } from 'vitest';
import { openHouse } from '../../test/house.ts';
import { sql } from 'kysely';
import { inTenant } from '../app.ts';
import { newId } from '../platform/ids.ts';

it('bench', async () => {
  // receiver in its own process
  const child = spawn(process.execPath, ['-e', `
    const http=require('http'); const delay=Number(process.argv[1]);
    let n=0; const s=http.createServer((q,r)=>{ if(q.url==='/count'){r.end(String(n));return} q.resume(); q.on('end',()=>{n++; const slow=q.url==='/slow'; setTimeout(()=>r.end('ok'), slow?1500:delay)})}); s.keepAliveTimeout=60000; s.listen(0,()=>console.log(s.address().port));`, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((r) => child.stdout.once('data', (d) => r(String(d).trim())));
  for (const [endpoints, events, slowOnes] of [[1, 10000, 0], [50, 400, 0], [50, 400, 5]] as const) {
    const house = await openHouse({ DATABASE_POOL: '10' });
    const team = await house.team();
    const base = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/webhook`;
    for (let i = 0; i < endpoints; i += 1) await team.management.post(base, { url: `http://127.0.0.1:${port}/${i < slowOnes ? 'slow' : 'hook'}` });
    const before = Number(await (await fetch(`http://127.0.0.1:${port}/count`)).text());
    const data = JSON.stringify({ order: 'x'.repeat(1800) });
    await inTenant(house.app, team.tenant, async (work) => {
      for (let k = 0; k < events; k += 500) {
        const n = Math.min(500, events - k);
        await work.tx.insertInto('event').values(Array.from({ length: n }, () => ({
          team_id: team.tenant.teamId, environment: 'sandbox', id: newId(), event_type: 'test.x', user_id: null, client_user_id: null,
          data: work.cipher.seal(data, 'event.data'), created_at: work.now,
        }))).execute();
      }
    });
    house.app.bell.ring('events');
    const from = performance.now();
    const acts = new Map<string, number>();
    const sampler = setInterval(() => void house.owner.query("select left(regexp_replace(query, '\\s+', ' ', 'g'), 60) q, wait_event, state from pg_stat_activity where datname=current_database() and state <> 'idle' and pid <> pg_backend_pid()").then(({rows}) => { for (const r of rows) { const k = JSON.stringify(r); acts.set(k, (acts.get(k) ?? 0) + 1); } }).catch(() => {}), 20);
    let total = endpoints * events - slowOnes * events;
    let seen = 0; let t5 = 0;
    while (seen < total) {
      await new Promise((r) => setTimeout(r, 20));
      seen = Number(await (await fetch(`http://127.0.0.1:${port}/count`)).text()) - before;
      if (performance.now() - from > 15000) break;
    }
    clearInterval(sampler); console.log([...acts].sort((a,b)=>b[1]-a[1]).slice(0,8));
    const ms = performance.now() - from;
    console.log(`${endpoints} endpoints x ${events} (${slowOnes} slow): ${seen} in ${Math.round(ms)} ms = ${Math.round(seen / ms * 1000)}/s`);
    const { rows } = await house.owner.query("select status, attempts, leased_until, due_wall, count(*) from webhook_delivery group by 1,2,3,4 order by 5 desc limit 12");
    console.log(JSON.stringify(rows), house.clock.now().toISOString(), (await house.owner.query('select count(*) from event where position is null')).rows, (await house.owner.query('select error, status_code, count(*) from webhook_attempt group by 1,2')).rows);
    if (slowOnes) await house.owner.query('delete from webhook_delivery');
    await house.close();
  }
  child.kill();
}, 300000);
