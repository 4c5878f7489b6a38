import { pino } from 'pino';
const {createKubeClient} = await import('./activities/kube/pooled-client.ts');
const {createLeaseClient} = await import('./activities/kube/lease.ts');
const {loadKubeConfig} = await import('./activities/kube/kubeconfig.ts');
const {createLicence} = await import('./activities/kube/licence.ts');
const {startWatcher} = await import('./watcher/index.ts');
const kc = loadKubeConfig('/tmp/mw-watch/kubeconfig');
const control = createKubeClient({kubeConfig: kc, userAgent:'live'});
const lc = createLeaseClient({kubeConfig: kc, userAgent:'live-lease'});
const t0=performance.now();
const say=(...a:any[])=>console.log((performance.now()-t0).toFixed(0).padStart(6),...a);
const temporal:any = { connection:{withDeadline:(_:any,f:any)=>f()}, workflow:{
 async signalWithStart(type:string,o:any){ say('START',type,o.workflowId,o.signal,JSON.stringify(o.signalArgs),o.staticSummary); },
 getHandle:(id:string)=>({async signal(n:string,p:any){ say('PLAIN',id,n,JSON.stringify(p)); }})}};
const w = await startWatcher({control,target:control,temporal,namespace:'default',taskQueue:'q',log:pino({level:'info'}) as any,leaderElection: process.argv[3]==='alone'?false:{client:lc,identity:process.argv[2]??'me'}});
const lic = createLicence({client: control, namespace:'default'});
setInterval(()=>{},1000);
let g:any; setInterval(()=>{const x=lic.isGranted(); if(x!==g){g=x; say('LICENCE',x);}},50);
const bye=async()=>{ say('metrics',JSON.stringify(w.metrics())); await lic.close(); await w.stop(); await control.close(); await lc.close(); say('stopped'); process.exit(0)};
process.on('SIGTERM',bye); process.on('SIGINT',bye);
