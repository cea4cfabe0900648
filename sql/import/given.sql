-- What the SELECT of a source gives; only row, time, and page_url or event_type are required. A column that it
-- leaves out has its default.
CREATE TABLE IF NOT EXISTS given
(
    row          Tuple(file UInt16, number UInt64, content FixedString(16)) COMMENT 'place and content of the row: the column `row` of `input`',
    time         String COMMENT 'time of the event: a DateTime, or a text in ISO 8601 or since 1970, UTC',
    site         String COMMENT 'site of the visitor, such as a domain or the id of an app; default: that of the header',
    event_id     String COMMENT 'id of the event; default: from the content of the row',
    session_id   String COMMENT 'id of the session; default: session_pause minutes (30) of inactivity end a session',
    visitor_id   String COMMENT 'id of the browser or person; default: account, or address and user agent',
    account_id   String COMMENT 'id of a registered user',
    event_type   String COMMENT 'pageview, purchase, refund, or any other name; default: pageview',
    page_url     String COMMENT 'address or path of the page',
    referer_url  String COMMENT 'address of the page before',
    utm_source   String COMMENT 'campaign source; default of the utm columns: from page_url',
    utm_medium   String COMMENT 'campaign medium',
    utm_campaign String COMMENT 'campaign name',
    utm_content  String COMMENT 'campaign content',
    user_agent   String COMMENT 'header User-Agent; gives missing browser, system and device',
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
    order_id     String COMMENT 'id of the order: of several purchases of a visitor with one id, the first counts; also a property',
    currency     String COMMENT 'code of ISO 4217',
    properties   Map(String, String) COMMENT 'further texts by name',
    skipped      String COMMENT 'reason why the source leaves the row out; default: it does not'
)
ENGINE = Null;
