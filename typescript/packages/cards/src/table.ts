export {
  LOAD_EVENT,
  type LoadDetail,
  ORDER_EVENT,
  type OrderDetail,
  type ShownTable,
  shownTable,
  tableElement,
  type TableEnvironment,
} from "./table/element.js";
