/* global SwaggerUIBundle */

/** The reference page: Swagger UI on this server's own document. Keys are kept in memory only. */
const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  // Both would ask servers of others.
  validatorUrl: null,
  queryConfigEnabled: false,
  onComplete: () => {
    document.title = ui.specSelectors.info().get('title') ?? document.title;
  },
});
