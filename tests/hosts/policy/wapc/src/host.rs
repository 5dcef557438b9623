//! The host's side of waPC.

use policy_wapc::fixtures::{self, Call as HostCall};
use wasmi::{Caller, Engine, Extern, Linker, Module, Store, TypedFunc};

/// What a guest gives back.
#[derive(Clone, PartialEq, Eq)]
pub enum Reply {
    Response(Vec<u8>),
    Error(Vec<u8>),
    /// The call did not come back as the protocol says.
    Broken(String),
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reply::Response(bytes) => write!(f, "response {}", String::from_utf8_lossy(bytes)),
            Reply::Error(bytes) => write!(f, "error {}", String::from_utf8_lossy(bytes)),
            Reply::Broken(problem) => write!(f, "broken: {problem}"),
        }
    }
}

#[derive(Default)]
struct Call {
    operation: Vec<u8>,
    payload: Vec<u8>,
    replies: Vec<Reply>,
    /// What the fixture says of the cluster, and what was last answered from it.
    cluster: Vec<HostCall>,
    answered: Vec<u8>,
    log: Vec<String>,
}

/// A loaded module.
pub struct Host {
    engine: Engine,
    module: Module,
}

impl Host {
    pub fn load(bytes: &[u8]) -> Self {
        let engine = Engine::default();
        let module = Module::new(&engine, bytes).expect("a module");
        Host { engine, module }
    }

    pub fn imports(&self) -> Vec<String> {
        let mut imports: Vec<String> = self
            .module
            .imports()
            .map(|import| format!("{}.{}", import.module(), import.name()))
            .collect();
        imports.sort();
        imports
    }

    pub fn exports(&self) -> Vec<String> {
        self.module
            .exports()
            .map(|export| export.name().to_owned())
            .collect()
    }

    pub fn metadata(&self) -> Vec<Vec<u8>> {
        let sections = self
            .module
            .custom_sections()
            .filter(|section| section.name() == "io.kubewarden.metadata");
        sections.map(|section| section.data().to_vec()).collect()
    }

    /// A fresh instance, as policy-server makes one for each request.
    pub fn instance(&self) -> Instance {
        let mut store = Store::new(&self.engine, Call::default());
        let mut linker = Linker::new(&self.engine);
        let request = |mut caller: Caller<'_, Call>, operation: u32, payload: u32| {
            let (name, bytes) = (
                caller.data().operation.clone(),
                caller.data().payload.clone(),
            );
            write(&mut caller, operation, &name);
            write(&mut caller, payload, &bytes);
        };
        let response = |mut caller: Caller<'_, Call>, start: u32, len: u32| {
            let reply = Reply::Response(read(&caller, start, len));
            caller.data_mut().replies.push(reply);
        };
        let error = |mut caller: Caller<'_, Call>, start: u32, len: u32| {
            let reply = Reply::Error(read(&caller, start, len));
            caller.data_mut().replies.push(reply);
        };
        let log = |mut caller: Caller<'_, Call>, start: u32, len: u32| {
            let line = String::from_utf8_lossy(&read(&caller, start, len)).into_owned();
            caller.data_mut().log.push(line);
        };
        type Part = (u32, u32);
        let host_call = |mut caller: Caller<'_, Call>,
                         b: u32,
                         bl: u32,
                         n: u32,
                         nl: u32,
                         o: u32,
                         ol: u32,
                         p: u32,
                         pl: u32| {
            let text =
                |(start, len): Part| String::from_utf8(read(&caller, start, len)).expect("UTF-8");
            let [binding, namespace, operation, payload] =
                [(b, bl), (n, nl), (o, ol), (p, pl)].map(text);
            let answer = match (binding.as_str(), namespace.as_str()) {
                ("kubewarden", "kubernetes") => {
                    fixtures::host_answer(&caller.data().cluster, &operation, &payload)
                }
                _ => Err(format!("there is no {binding}/{namespace}")),
            };
            let code = u32::from(answer.is_ok());
            caller.data_mut().answered = answer.unwrap_or_else(|error| error).into_bytes();
            code
        };
        let answered_len =
            |caller: Caller<'_, Call>| u32::try_from(caller.data().answered.len()).unwrap();
        let answered = |mut caller: Caller<'_, Call>, start: u32| {
            let bytes = caller.data().answered.clone();
            write(&mut caller, start, &bytes);
        };
        linker.func_wrap("wapc", "__host_call", host_call).unwrap();
        linker
            .func_wrap("wapc", "__host_response_len", answered_len)
            .unwrap();
        linker
            .func_wrap("wapc", "__host_response", answered)
            .unwrap();
        linker
            .func_wrap("wapc", "__host_error_len", answered_len)
            .unwrap();
        linker.func_wrap("wapc", "__host_error", answered).unwrap();
        linker
            .func_wrap("wapc", "__guest_request", request)
            .unwrap();
        linker
            .func_wrap("wapc", "__guest_response", response)
            .unwrap();
        linker.func_wrap("wapc", "__guest_error", error).unwrap();
        linker.func_wrap("wapc", "__console_log", log).unwrap();
        let instance = linker
            .instantiate_and_start(&mut store, &self.module)
            .expect("an instance");
        // Called where they are, in this order.
        for start in ["_start", "wapc_init"] {
            if let Ok(start) = instance.get_typed_func::<(), ()>(&store, start) {
                start.call(&mut store, ()).expect("a start");
            }
        }
        let call = instance
            .get_typed_func::<(u32, u32), u32>(&store, "__guest_call")
            .expect("__guest_call");
        Instance { store, call }
    }
}

/// A running module.
pub struct Instance {
    store: Store<Call>,
    call: TypedFunc<(u32, u32), u32>,
}

impl Instance {
    pub fn call(&mut self, operation: &str, payload: &[u8], cluster: &[HostCall]) -> Reply {
        let cluster = cluster.to_vec();
        *self.store.data_mut() = Call {
            operation: operation.into(),
            payload: payload.to_vec(),
            cluster,
            ..Call::default()
        };
        let lens = (
            u32::try_from(operation.len()).unwrap(),
            u32::try_from(payload.len()).unwrap(),
        );
        let code = match self.call.call(&mut self.store, lens) {
            Ok(code) => code,
            Err(trap) => return Reply::Broken(format!("{trap}; log: {:?}", self.store.data().log)),
        };
        match (code, self.store.data().replies.as_slice()) {
            (1, [reply @ Reply::Response(_)]) | (0, [reply @ Reply::Error(_)]) => reply.clone(),
            (code, replies) => Reply::Broken(format!("code {code} with {} replies", replies.len())),
        }
    }
}

fn memory(caller: &Caller<'_, Call>) -> wasmi::Memory {
    caller
        .get_export("memory")
        .and_then(Extern::into_memory)
        .expect("memory")
}

fn read(caller: &Caller<'_, Call>, start: u32, len: u32) -> Vec<u8> {
    let mut bytes = vec![0; len as usize];
    memory(caller)
        .read(caller, start as usize, &mut bytes)
        .expect("inside the memory");
    bytes
}

fn write(caller: &mut Caller<'_, Call>, start: u32, bytes: &[u8]) {
    memory(caller)
        .write(caller, start as usize, bytes)
        .expect("inside the memory");
}
