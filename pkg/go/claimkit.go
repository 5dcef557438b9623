// Package claimkit validates, converts and places manifests of Kubernetes Dynamic Resource Allocation (resource.k8s.io) as kubectl,
// kube-apiserver and kube-scheduler do, in every release from 1.26 on. It is made for the tests of drivers: they fail if the API server
// would refuse a ResourceSlice, or if a claim of the documentation would get no device.
//
// claimkit is a WebAssembly module inside this package. It runs in the process, without cgo and without network. All functions can be
// called from many goroutines.
package claimkit

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // for the module
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// `make go-module` builds it.
//
//go:embed claimkit.wasm.gz
var packed []byte

// Answer answers a request in JSON, as `claimkit batch` does; the other functions of this package make such requests. A manifest with
// mistakes gives an answer. An error means that there is none.
func Answer(ctx context.Context, request []byte) ([]byte, error) {
	engine, err := started()
	if err != nil {
		return nil, err
	}
	return engine.answer(ctx, request)
}

type withCommon interface{ common() *Common }

// ask sends a request about manifests, and reads the answer.
func ask(ctx context.Context, request any, answer withCommon, manifests ...source) error {
	text, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("claimkit: %w", err)
	}
	if text, err = Answer(ctx, text); err != nil {
		return err
	}
	var refusal struct{ Error string }
	if err := errors.Join(json.Unmarshal(text, &refusal), json.Unmarshal(text, answer)); err != nil {
		return fmt.Errorf("claimkit: %w", err)
	}
	if refusal.Error != "" {
		return errors.New("claimkit: " + refusal.Error)
	}
	// Nobody has the JSON of an object that ranges are about.
	findings := answer.common().Findings
	for _, manifest := range manifests {
		for at := range findings {
			isAbout := findings[at].File == manifest.Name || len(manifests) == 1
			if isAbout && manifest.isObject {
				findings[at].Range = nil
			}
		}
	}
	return nil
}

// engine has the compiled module and its instances.
type engine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	// One token for each request that is being answered.
	busy chan struct{}
	// Instances that wait for a request.
	idle chan *instance
}

// The memory of an instance never shrinks: one that needed more than this is not kept.
const maxIdleMemory = 32 << 20

// The engine is started by the first request, and lives as long as the process. Compiled code is kept in the user's cache folder, if
// there is one.
var started = sync.OnceValues(func() (*engine, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("claimkit: %w", err)
	}
	wasm, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("claimkit: %w", err)
	}
	// A request ends when its context does.
	config := wazero.NewRuntimeConfig().WithCloseOnContextDone(true)
	if folder, err := os.UserCacheDir(); err == nil {
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(folder, "claimkit")); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	ctx := context.Background()
	instances := runtime.GOMAXPROCS(0)
	engine := &engine{
		runtime: wazero.NewRuntimeWithConfig(ctx, config),
		busy:    make(chan struct{}, instances),
		idle:    make(chan *instance, instances),
	}
	if engine.compiled, err = engine.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, fmt.Errorf("claimkit: %w", err)
	}
	return engine, nil
})

func (e *engine) answer(ctx context.Context, request []byte) ([]byte, error) {
	select {
	case e.busy <- struct{}{}:
		defer func() { <-e.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	instance, err := e.instance(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := instance.answer(ctx, request)
	if err != nil {
		// Its memory is in an unknown state.
		instance.close(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("claimkit: internal error, please report it: %w", err)
	}
	if instance.module.Memory().Size() > maxIdleMemory {
		instance.close(ctx)
		return answer, nil
	}
	e.idle <- instance
	return answer, nil
}

// close ends an instance, also where the context is over.
func (i *instance) close(ctx context.Context) {
	_ = i.module.Close(context.WithoutCancel(ctx))
}

func (e *engine) instance(ctx context.Context) (*instance, error) {
	select {
	case idle := <-e.idle:
		return idle, nil
	default:
	}
	// Only a module without a name can have several instances.
	module, err := e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, fmt.Errorf("claimkit: %w", err)
	}
	return &instance{
		module:   module,
		allocate: module.ExportedFunction("claimkit_alloc"),
		run:      module.ExportedFunction("claimkit_answer"),
		free:     module.ExportedFunction("claimkit_free"),
	}, nil
}

// instance answers one request after another; src/bindings/embed.rs of claimkit describes its functions.
type instance struct {
	module              api.Module
	allocate, run, free api.Function
}

func (i *instance) answer(ctx context.Context, request []byte) ([]byte, error) {
	size := uint64(len(request))
	results, err := i.allocate.Call(ctx, size)
	if err != nil {
		return nil, err
	}
	address := results[0]
	if !i.module.Memory().Write(uint32(address), request) {
		return nil, errors.New("the request does not fit into the memory")
	}
	if results, err = i.run.Call(ctx, address, size); err != nil {
		return nil, err
	}
	address, size = results[0]>>32, results[0]&0xffffffff
	answer, ok := i.module.Memory().Read(uint32(address), uint32(size))
	if !ok {
		return nil, errors.New("the answer is outside of the memory")
	}
	// What Read returns is the memory itself.
	answer = bytes.Clone(answer)
	_, err = i.free.Call(ctx, address, size)
	return answer, err
}
