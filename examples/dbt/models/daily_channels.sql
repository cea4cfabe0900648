{{
    config(
        materialized='incremental',
        incremental_strategy='delete_insert',
        unique_key='session_date',
        order_by='(session_date, channel)'
    )
}}

select
    session_date,
    channel,
    count() as sessions,
    countIf(has_purchase) as sessions_with_purchase,
    sum(revenue) as revenue
from {{ source('dm', 'session') }}
where
    clock = 'right'
{% if is_incremental() %}
    and session_date >= (select max(session_date) - {{ var('lookback_days') }} from {{ this }})
{% endif %}
group by session_date, channel
