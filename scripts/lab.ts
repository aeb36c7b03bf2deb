import { connect, inTransaction } from "~/db/connect";
const url = (await Bun.file("/tmp/urls").text()).trim().split("\n")[0]!.split(" ")[1]!;
const admin = connect(url, {max:1,name:"admin"});
await admin`create table if not exists public.written (run int not null, step int not null)`;
const pool = connect(url, {max:4, name:"driven"});
let n=0;
process.on("unhandledRejection", (e: any, p) => { n++; if (n<4) console.log("UNHANDLED", e?.code, e?.query, (p as any)?.strings, Bun.inspect(p).slice(0,600)); });
let killing = true;
const killer=(async()=>{ while(killing){ await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'diorama driven'`.catch(()=>{}); await Bun.sleep(40);} })();
const calls = Array.from({ length: 240 }, async (_, index) => {
  await Bun.sleep(index*4);
  return await inTransaction(pool, async (tx) => { for (let s=1;s<=4;s++){ await tx`insert into public.written values (${index}, ${s})`; await Bun.sleep(Math.random()*5);} return index; });
});
const out = await Promise.allSettled(calls); killing=false; await killer;
console.log(n, out.filter(o=>o.status==="fulfilled").length);
process.exit(0);
