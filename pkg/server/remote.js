// The files of a project as the client has them, in browsers and for files that are not on this machine: two requests of ours,
// `claimkit/read` {uri} → {text?} and `claimkit/manifests` {folders} → uris.

/** Returns the files of a connection's client. A client that does not know the requests has no files. */
export function remoteFiles(connection) {
	const ask = (method, params) =>
		connection.sendRequest(method, params).catch(() => undefined);
	return {
		async read(uri) {
			return (await ask("claimkit/read", { uri }))?.text;
		},
		async *manifests(folders) {
			yield* (await ask("claimkit/manifests", { folders })) ?? [];
		},
	};
}
