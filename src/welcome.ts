/** What the first start prints: where everything is, the API key, and three lines that end in a valid license. */
export function welcome(url: string, apiKey: string | undefined): string {
  if (apiKey === undefined) return `\nReady: REST ${url}, GraphQL ${url}/graphql\n\n`;
  const json = `-H 'Content-Type: application/json'`;
  const auth = `-H 'Authorization: Bearer ${apiKey}'`;
  return `
Ready.

  REST      ${url}
  GraphQL   ${url}/graphql
  API key   ${apiKey}

The key is shown this once and stored nowhere: keep it. Make a product and a license, and validate it:

curl -s ${url}/products ${auth} ${json} -d '{"name": "My App"}'
curl -s ${url}/licenses ${auth} ${json} -d '{"key": "MY-FIRST-LICENSE", "product": "My App"}'
curl -s ${url}/licenses/validate ${json} -d '{"license_key": "MY-FIRST-LICENSE"}'

`;
}
