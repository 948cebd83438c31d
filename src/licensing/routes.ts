import { addonRoutes } from './addons/addon.rest.js';
import { customerRoutes } from './customers/customer.rest.js';
import { licenseRoutes } from './licenses/license.rest.js';
import { validationRoutes } from './licenses/validation/validation.rest.js';
import { productRoutes } from './products/product.rest.js';

/** The licensing REST API, one line a slice. */
export const licensingRoutes = [validationRoutes, licenseRoutes, productRoutes, customerRoutes, addonRoutes];
