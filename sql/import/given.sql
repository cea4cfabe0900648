-- What the SELECT of a source gives; only row, time, and page_url or event_type are required. A column that it
-- leaves out has its default.
CREATE TABLE IF NOT EXISTS given
(
    row          Tuple(file UInt16, number UInt64, content FixedString(16)) COMMENT 'place and content of the row: the column `row` of `input`',
    time         String COMMENT 'time of the event: a DateTime, or a text of ISO 8601 or since 1970 in UTC',
    event_id     String COMMENT 'id of the event; default: from the content of the row',
    session_id   String COMMENT 'id of the session; default: more minutes than session_pause in the header (30) without an event of the visitor end a session',
    visitor_id   String COMMENT 'id of the browser or person; default: account, or address and user agent',
    account_id   String COMMENT 'id of a registered user',
    event_type   String COMMENT 'pageview, purchase, refund, or any other name; default: pageview',
    page_url     String COMMENT 'address or path of the page',
    referer_url  String COMMENT 'address of the page before',
    utm_source   String COMMENT 'source of a campaign; default: from page_url, as the other four',
    utm_medium   String COMMENT 'medium of a campaign',
    utm_campaign String COMMENT 'name of a campaign',
    utm_content  String COMMENT 'content of a campaign',
    user_agent   String COMMENT 'header User-Agent; gives browser, system and device where they are left out',
    browser      String COMMENT 'name of the browser',
    system       String COMMENT 'name of the operating system',
    device       String COMMENT 'Computer, Mobile, Tablet, or another name',
    language     String COMMENT 'language of the browser',
    country      String COMMENT 'country of the visitor',
    region       String COMMENT 'region or city of the visitor',
    latitude     String COMMENT 'degrees north',
    longitude    String COMMENT 'degrees east',
    timezone     String COMMENT 'time zone of the visitor',
    ip_address   String COMMENT 'address of the visitor',
    order_value  String COMMENT 'value of a purchase or a refund; a purchase of less than 0 is a refund',
    order_id     String COMMENT 'id of the order of a purchase: of several purchases of a visitor with one, the first counts; also a property',
    currency     String COMMENT 'code of ISO 4217',
    properties   Map(String, String) COMMENT 'further texts by name',
    skipped      String COMMENT 'reason why the source leaves the row out; default: it does not'
)
ENGINE = Null;
