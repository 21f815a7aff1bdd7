// An OAuth 2.0 token issuer that we did not write (npm oidc-provider), and an API that asks it whether a token is good.
// Arguments: directory of node_modules, PEM of certificate and key, client id, its secret, token lifetime in seconds,
// and when the secret expires (seconds since 1970; 0: never). Prints its address when it is ready.
import {createRequire} from 'node:module';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [modules, certificate, key, id, secret, lifetime, expires] = process.argv.slice(2);
const entry = createRequire(path.join(modules, 'x.js')).resolve('oidc-provider');
const {Provider} = await import(pathToFileURL(entry));
const scope = 'https://vtmirror.example/.default';

const server = https.createServer({cert: fs.readFileSync(certificate), key: fs.readFileSync(key)});
server.listen(0, '127.0.0.1', () => {
  const address = `https://localhost:${server.address().port}`;
  const provider = new Provider(address, {
    clients: [{
      client_id: id,
      client_secret: secret,
      client_secret_expires_at: Number(expires),
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_post',
      scope,
    }],
    scopes: [scope],
    features: {clientCredentials: {enabled: true}, devInteractions: {enabled: false}},
    ttl: {ClientCredentials: Number(lifetime)},
  });
  const issue = provider.callback();
  server.on('request', async (request, response) => {
    if (!request.url.startsWith('/v1/')) return issue(request, response);
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    const known = await provider.ClientCredentials.find(token);
    response.setHeader('Content-Type', 'application/json');
    if (known && !known.isExpired) return response.end('{"bulk":[],"delta":[]}');
    response.statusCode = 403;
    response.end('{"errorCode":"MOTH-FB-02","errorMessage":"Access token has expired"}');
  });
  console.log(JSON.stringify({address, token: `${address}/token`}));
});
